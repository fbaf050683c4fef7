"""Batches a second with the tools people use today: loader.py torch|kauldron|tf fashion|jpeg|tfrecord FOLDER WORKERS

The same work, on the same files, as bench/data.cc; FOLDER is what `build/bench/data prepare FOLDER` wrote.
`torch` needs torch and torchvision, `kauldron` and `tf` a Python with kauldron.
"""
import dataclasses
import glob
import os
import sys
import time

import numpy as np

BATCH = {"fashion": 256, "jpeg": 64, "tfrecord": 256}
STEPS = {"fashion": 60, "jpeg": 12, "tfrecord": 60}
PICTURE = 224
AREA = (0.08, 1.0)
ASPECT = (0.75, 1.33)


def rate(what, iterator):
  """Batches a second, after a first one that starts the workers."""
  next(iterator)
  start = time.perf_counter()
  for _ in range(STEPS[what]):
    next(iterator)
  return STEPS[what] / (time.perf_counter() - start)


def forever(make):
  while True:
    yield from make()


def picture_files(folder):
  paths = sorted(glob.glob(os.path.join(folder, "jpeg", "*", "*.jpg")))
  classes = sorted({os.path.dirname(p) for p in paths})
  return [(p, classes.index(os.path.dirname(p))) for p in paths]


def torch_loader(what, folder, workers):
  import fmnist
  import torch

  torch.set_num_threads(2)
  if what == "fashion":
    images, _ = fmnist.load("train")

    class Images(torch.utils.data.Dataset):
      def __len__(self):
        return len(images)

      def __getitem__(self, i):
        return {"image": torch.from_numpy(images[i].copy()).float() / 255}

    data = Images()
  else:
    import torchvision
    from torchvision import transforms

    data = torchvision.datasets.ImageFolder(
        os.path.join(folder, "jpeg"),
        transforms.Compose([
            transforms.RandomResizedCrop(PICTURE, AREA, ASPECT),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.5] * 3, [0.5] * 3),
        ]))
  loader = torch.utils.data.DataLoader(
      data, BATCH[what], shuffle=True, num_workers=workers, drop_last=True)
  return forever(lambda: loader)


@dataclasses.dataclass(frozen=True)
class Pictures:
  """JPEG files, decoded by Pillow."""
  files: tuple

  def __len__(self):
    return len(self.files)

  def __getitem__(self, i):
    from PIL import Image

    path, label = self.files[i]
    return {"image": np.asarray(Image.open(path).convert("RGB")), "label": label}


def inception_crop(image, rng):
  """A random part of the picture, resized by Pillow."""
  from PIL import Image

  height, width = image.shape[:2]
  for _ in range(10):
    area = height * width * rng.uniform(*AREA)
    aspect = np.exp(rng.uniform(*np.log(ASPECT)))
    w, h = round(np.sqrt(area * aspect)), round(np.sqrt(area / aspect))
    if 0 < w <= width and 0 < h <= height:
      y, x = rng.integers(height - h + 1), rng.integers(width - w + 1)
      image = image[y:y + h, x:x + w]
      break
  return np.asarray(Image.fromarray(image).resize((PICTURE, PICTURE), Image.BILINEAR))


def kauldron_loader(what, folder, workers):
  import fmnist
  from kauldron import kd

  if what == "fashion":
    source = fmnist.Source("train")
    transforms = [
        kd.data.Elements(keep=["image"]),
        kd.data.ValueRange(key="image", vrange=(0, 1)),
    ]
  else:
    source = Pictures(tuple(picture_files(folder)))

    @dataclasses.dataclass(frozen=True, kw_only=True, eq=True)
    class InceptionCrop(kd.data.py.ElementWiseRandomTransform):
      def random_map_element(self, element, rng):
        return inception_crop(element, rng)

    transforms = [
        InceptionCrop(key="image"),
        kd.data.py.RandomFlipLeftRight(key="image"),
        kd.data.ValueRange(key="image", vrange=(-1, 1)),
    ]
  return iter(kd.data.py.DataSource(
      data_source=source, shuffle=True, num_epochs=None, seed=0, batch_size=BATCH[what],
      num_workers=workers, transforms=transforms))


def tf_loader(what, folder, workers):
  import tensorflow as tf

  tf.config.threading.set_intra_op_parallelism_threads(max(workers, 1))
  tf.config.threading.set_inter_op_parallelism_threads(max(workers, 1))
  calls = tf.data.AUTOTUNE if workers else 1
  if what == "tfrecord":
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([1], tf.int64)}

    def read(example):
      record = tf.io.parse_single_example(example, features)
      image = tf.io.decode_png(record["image"], 1)
      return {"image": tf.cast(image, tf.float32) / 255, "label": record["label"]}

    data = tf.data.TFRecordDataset(os.path.join(folder, "fashion.tfrecord")).shuffle(10000).repeat()
  else:
    files = picture_files(folder)

    def read(path, label):
      encoded = tf.io.read_file(path)
      box, size, _ = tf.image.sample_distorted_bounding_box(
          tf.io.extract_jpeg_shape(encoded), tf.zeros([0, 0, 4]), area_range=AREA,
          aspect_ratio_range=ASPECT, min_object_covered=0.0, use_image_if_no_bounding_boxes=True)
      crop = tf.concat([box[:2], size[:2]], 0)
      image = tf.image.decode_and_crop_jpeg(encoded, crop, channels=3)
      image = tf.image.random_flip_left_right(tf.image.resize(image, (PICTURE, PICTURE)))
      return {"image": image / 127.5 - 1, "label": label}

    data = tf.data.Dataset.from_tensor_slices(([p for p, _ in files], [c for _, c in files]))
    data = data.shuffle(len(files)).repeat()
  data = data.map(read, num_parallel_calls=calls, deterministic=True).batch(BATCH[what], drop_remainder=True)
  if workers:
    data = data.prefetch(tf.data.AUTOTUNE)
  return iter(data)


def main():
  tool, what, folder, workers = sys.argv[1:5]
  make = {"torch": torch_loader, "kauldron": kauldron_loader, "tf": tf_loader}[tool]
  print(f"{tool} {what}, {workers} workers: {rate(what, make(what, folder, int(workers))):.1f} batches/s")
  sys.stdout.flush()
  os._exit(0)  # some of them leave threads behind that wait for ever


if __name__ == "__main__":
  main()
