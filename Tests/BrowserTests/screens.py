"""Pictures of the page, compared with the stored pictures."""

import io
import os

from PIL import Image, ImageChops, ImageFilter

from till import ROOT

KEPT = f"{ROOT}/fixtures/screens"
SEEN = f"{ROOT}/.build/screens"
WRITES = os.environ.get("SCREENS") == "write"
COLOURS = 128
# Fonts differ in single pixels at their edges, layouts in whole blocks, so blocks are compared.
BLOCK = 4
LOUD = 48
# A square of nine by nine blocks is as large as a word. A moved word must be noticed, however large
# the screen is.
AROUND = 4
TOLERATED = 0.1
# Renewing leaves a picture alone if nobody could see what changed in it.
UNSEEN = 0.01


def differing(one, other):
    """The share of blocks with a different color, in the square where it is highest."""
    if one.size != other.size:
        return 1.0
    red, green, blue = ImageChops.difference(one.reduce(BLOCK), other.reduce(BLOCK)).split()
    loudest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    marked = loudest.point(lambda difference: 255 if difference > LOUD else 0)
    return marked.filter(ImageFilter.BoxBlur(AROUND)).getextrema()[1] / 255


def compare(name, png):
    """What is wrong with this picture of a screen, or None."""
    seen = Image.open(io.BytesIO(png)).convert("RGB")
    path = f"{KEPT}/{name}.png"
    part = differing(seen, kept(name)) if os.path.exists(path) else 1.0
    if WRITES and part > UNSEEN:
        _write(seen, path)
    if WRITES or part <= TOLERATED:
        return None
    _write(seen, f"{SEEN}/{name}.png")
    return f"{name} looks another way, up to {part:.0%} of a square: see .build/screens, or make screens"


def kept(name):
    return Image.open(f"{KEPT}/{name}.png").convert("RGB")


def few_colors(image):
    """The image with few enough colors for a small file, and enough to keep each shade."""
    return image.quantize(COLOURS, kmeans=3, dither=Image.Dither.NONE)


def _write(image, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    few_colors(image).save(path, optimize=True)
