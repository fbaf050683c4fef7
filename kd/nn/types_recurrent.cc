// Registers recurrent cells and what runs them.
#include "kd/nn/recurrent.h"
#include "kd/nn/rnn.h"

KONFIG_REGISTER(kd::nn::SimpleCell);
KONFIG_REGISTER(kd::nn::LSTMCell);
KONFIG_REGISTER(kd::nn::OptimizedLSTMCell);
KONFIG_REGISTER(kd::nn::GRUCell);
KONFIG_REGISTER(kd::nn::MGUCell);
KONFIG_REGISTER(kd::nn::RNN);
KONFIG_REGISTER(kd::nn::Bidirectional);
