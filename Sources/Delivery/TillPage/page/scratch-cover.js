// The gray field over the code. It has no access to the code, and calls its listener once it has
// been rubbed.

/** The width of a stroke, in CSS pixels. */
const NIB = 26;
/** The rubbing distance that counts as a scratch, so that a mere touch does not count. */
const ENOUGH = 24;
const AUTO_RUB_TIME = 1800;

export function cover(canvas, onRubbed) {
  const { width, height } = canvas.getBoundingClientRect();
  // One canvas pixel for each screen pixel; otherwise, the cover would be blurred.
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const brush = canvas.getContext("2d");
  brush.scale(devicePixelRatio, devicePixelRatio);
  paint(brush, width, height);
  // From now on, strokes erase the cover instead of painting on it.
  Object.assign(brush, {
    globalCompositeOperation: "destination-out", lineWidth: NIB, lineCap: "round",
  });
  let last = null;
  let traveled = 0;

  function rub(x, y) {
    const from = last ?? { x, y };
    brush.beginPath();
    brush.moveTo(from.x, from.y);
    brush.lineTo(x, y);
    brush.stroke();
    traveled += Math.hypot(x - from.x, y - from.y);
    last = { x, y };
    if (traveled < ENOUGH) return;
    // A scratch is reported only once, even if the rubbing continues.
    traveled = -Infinity;
    onRubbed();
  }

  canvas.onpointerdown = (event) => {
    // A stroke that leaves the canvas continues when it comes back.
    canvas.setPointerCapture(event.pointerId);
    last = null;
  };
  canvas.onpointermove = (event) => {
    if (event.buttons !== 0) rub(event.offsetX, event.offsetY);
  };

  /** Rubs the field in a zigzag, for users without a pointing device. */
  function rubAlone() {
    onRubbed();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const began = performance.now();
    last = null;
    const step = (now) => {
      const part = Math.min(1, (now - began) / AUTO_RUB_TIME);
      // Nine sweeps up or down while the nib crosses the field.
      const swing = Math.abs(((part * 9) % 2) - 1);
      rub(width * (0.04 + 0.92 * part), height * (0.08 + 0.84 * swing));
      if (part < 1 && canvas.isConnected) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  return { rubAlone };
}

function paint(brush, width, height) {
  const metal = brush.createLinearGradient(0, 0, width, height);
  ["#8d9794", "#c3cac7", "#a3adaa", "#d2d8d5", "#949e9b"].forEach((color, index) =>
    metal.addColorStop(index / 4, color));
  brush.fillStyle = metal;
  brush.fillRect(0, 0, width, height);
  brush.strokeStyle = "#fff5";
  for (let x = -height; x < width; x += 11) {
    brush.beginPath();
    brush.moveTo(x, height);
    brush.bezierCurveTo(x + 10, height / 2, x + height - 10, height / 2, x + height, 0);
    brush.stroke();
  }
}
