// Views are plain descriptions, and patch() updates the document to match them. Nodes that stay
// keep their focus, caret, and running animations. Text is inserted only as text nodes, so that it
// cannot become markup.

const SVG = "http://www.w3.org/2000/svg";
const SKETCH = Symbol("sketch");
const LEAVE = Symbol("leave");

/** An element, such as h("p.hint", { id: "x" }, "text"); properties are optional. */
export function h(selector, ...children) {
  const [tag, ...classes] = selector.split(".");
  const [first] = children;
  const hasProps = first && typeof first === "object" && !Array.isArray(first) && !first.tag;
  // Without a type, a button would submit the form it is in.
  const props = { ...(tag === "button" && { type: "button" }), ...(hasProps && children.shift()) };
  if (classes.length > 0) props.class = [...classes, props.class].join(" ");
  return { tag, props, children: placed(children, "", []) };
}

/**
 * An icon from the sprite in index.html. It is hidden from screen readers, because the text next to
 * it means the same thing.
 */
export const icon = (name) => h("svg.icon", { "aria-hidden": "true" },
  h("use", { href: `#i-${name}` }));

// Children are matched by position. Absent children count, too, so that the others keep their
// positions.
function placed(children, prefix, into) {
  children.forEach((child, index) => {
    const slot = prefix + index;
    if (Array.isArray(child)) placed(child, `${slot}.`, into);
    else if (child?.tag) {
      const { key } = child.props;
      into.push({ ...child, slot: key === undefined ? slot : `${prefix}#${key}` });
    } else if (child || child === 0) into.push({ text: String(child), slot });
  });
  return into;
}

export function patch(parent, children) {
  const mounted = [];
  arrange(parent, placed([children], "", []), mounted);
  // `mount` is called last, because it may focus or measure nodes, which must be in the document.
  for (const node of mounted) node[LEAVE] = node[SKETCH].props.mount(node);
}

function arrange(parent, sketches, mounted) {
  const old = new Map();
  for (const node of parent.childNodes) old.set(node[SKETCH]?.slot ?? node, node);
  const kept = sketches.map(({ slot, tag }) => {
    const node = old.get(slot);
    if (node?.[SKETCH].tag !== tag) return null;
    old.delete(slot);
    return node;
  });
  // Old nodes are removed first; otherwise, kept nodes would be moved and would lose their focus.
  for (const node of old.values()) {
    leave(node);
    node.remove();
  }
  sketches.forEach((sketch, index) => {
    const there = parent.childNodes[index];
    const node = kept[index] ?? made(sketch, parent, mounted);
    if (there !== node) parent.insertBefore(node, there ?? null);
    update(node, sketch, mounted);
  });
}

function made({ tag, text, props }, parent, mounted) {
  if (!tag) return document.createTextNode(text);
  const isDrawing = tag === "svg" || parent.namespaceURI === SVG;
  const node = isDrawing ? document.createElementNS(SVG, tag) : document.createElement(tag);
  if (props.mount) mounted.push(node);
  return node;
}

function update(node, sketch, mounted) {
  const before = node[SKETCH]?.props ?? {};
  node[SKETCH] = sketch;
  if (!sketch.tag) {
    if (node.data !== sketch.text) node.data = sketch.text;
    return;
  }
  const { value, ...props } = sketch.props;
  for (const name of Object.keys({ ...before, ...props })) {
    if (before[name] !== props[name]) assign(node, name, props[name]);
  }
  arrange(node, sketch.children, mounted);
  // The value is set after the children, because a select accepts a value only if it has that
  // option.
  if (value !== undefined && node.value !== value) node.value = value;
}

function assign(node, name, value) {
  if (["key", "mount", "value"].includes(name)) return;
  if (name.startsWith("on") || name === "checked") node[name] = value ?? null;
  else if (value === undefined || value === null || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

function leave(node) {
  node.childNodes.forEach(leave);
  node[LEAVE]?.();
}
