#!/usr/bin/env bash
# Stands for a training: search.sh --dir=DIR --lr=LR writes a loss after each step, which is far from
# zero when the learning rate is far from 0.01.
set -euo pipefail
dir=${1#--dir=} lr=${2#--lr=}
mkdir -p "$dir"
for step in 1 2 3 4 5; do
  awk -v lr="$lr" -v s="$step" 'BEGIN { d = log(lr / 0.01); print (0.1 + d * d) / s }' >> "$dir/loss.txt"
  sleep 0.8
done
