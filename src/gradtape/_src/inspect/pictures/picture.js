// Draws `picture` in `here`: boxes open and close, the view moves and zooms, texts follow the
// pointer. Rows, and the order in them, are given; where things lie depends on what is open, and is
// found as in layout.py.
const NS = "http://www.w3.org/2000/svg";
const GAP_X = 26, GAP_Y = 38, SLACK = 60, SETTLE = 24, PAD = 14, HEAD = 26;
const boxes = picture.boxes;
const view = here.querySelector(".gt-view");
here.classList.add("gt-live");

function make(name, attributes, parent, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function button(text, label, parent, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = label;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  parent.append(made);
}

// Where nodes lie.

function neighbours(box) {
  const up = {}, down = {}, chainOf = {};
  const join = (a, b) => { (down[a] ||= []).push(b); (up[b] ||= []).push(a); };
  for (const [a, b, chain] of box.edges) {
    let before = a;
    for (const dummy of chain) { join(before, dummy); before = dummy; chainOf[dummy] = chain; }
    join(before, b);
  }
  return { up, down, chainOf };
}

function inOrder(row, wish, weight, widths) {
  let offset = 0;
  const offsets = row.map((n, i) => {
    if (i) offset += ((widths[row[i - 1]] ?? 8) + (widths[n] ?? 8)) / 2 + GAP_X;
    return offset;
  });
  const pools = [];
  wish.forEach((w, i) => {
    pools.push([w - offsets[i], weight[i], 1]);
    while (pools.length > 1 && pools[pools.length - 2][0] > pools[pools.length - 1][0]) {
      const [mean, total, count] = pools.pop(), last = pools[pools.length - 1];
      last[0] = (last[0] * last[1] + mean * total) / (last[1] + total);
      last[1] += total;
      last[2] += count;
    }
  });
  const means = pools.flatMap(([mean, , count]) => Array(count).fill(mean));
  return means.map((m, i) => m + offsets[i]);
}

function settle(box, widths) {
  const { up, down, chainOf } = neighbours(box), xs = {};
  for (const row of box.rows) {
    let x = 0;
    for (const n of row) { const w = widths[n] ?? 8; xs[n] = x + w / 2; x += w + GAP_X; }
    for (const n of row) xs[n] -= (x - GAP_X) / 2;
  }
  const mean = list => list.reduce((s, m) => s + xs[m], 0) / list.length;
  for (let step = 0; step < SETTLE; step++) {
    const downwards = step % 2 === 0;
    for (const row of downwards ? box.rows : [...box.rows].reverse()) {
      const wish = [], weight = [];
      for (const n of row) {
        const above = up[n] || [], below = down[n] || [];
        let near = downwards ? (above.length ? above : below) : (below.length ? below : above);
        if (step >= SETTLE - 4) near = above.concat(below);
        wish.push(near.length ? mean(near) : xs[n]);
        weight.push(n < 0 ? 4 : 1);
        if (n < 0 && step >= SETTLE - 8) wish[wish.length - 1] = mean(chainOf[n]);
      }
      inOrder(row, wish, weight, widths).forEach((x, i) => { xs[row[i]] = x; });
    }
  }
  return xs;
}

function place(box) {
  const sizes = {}, widths = {}, inner = {}, centers = {}, rowOf = {};
  for (const n of box.rows.flat()) {
    if (n < 0) continue;
    const b = boxes[n];
    sizes[n] = b.size;
    if (b.open) {
      inner[n] = place(b);
      sizes[n] = [Math.max(inner[n].width, 8 * b.title.length + 30), inner[n].height + HEAD];
    }
    widths[n] = sizes[n][0];
  }
  const xs = settle(box, widths);
  let y = 0, left = Infinity, right = -Infinity;
  for (const row of box.rows) {
    const real = row.filter(n => n >= 0);
    const height = real.length ? Math.max(...real.map(n => sizes[n][1])) : 10;
    for (const n of row) {
      const own = n >= 0 ? sizes[n][1] + SLACK : height, half = n >= 0 ? widths[n] / 2 : 4;
      centers[n] = [xs[n], y + Math.min(height, own) / 2];
      rowOf[n] = [y, y + height];
      left = Math.min(left, xs[n] - half);
      right = Math.max(right, xs[n] + half);
    }
    y += height + GAP_Y;
  }
  for (const n in centers) centers[n][0] -= left;
  if (!(right > left)) { left = right = 0; }
  return { sizes, centers, rowOf, inner, width: right - left + 2 * PAD,
    height: Math.max(0, y - GAP_Y) + 2 * PAD };
}

// Drawing.

function port(towards, width) {
  const room = Math.max(0, width / 2 - 16);
  return Math.max(-room, Math.min(room, towards * 0.12));
}

function drawEdge([a, b, chain, stopped], at, parent) {
  const [ax, ay] = at.centers[a], [bx, by] = at.centers[b];
  const points = [[ax + port(bx - ax, at.sizes[a][0]), ay + at.sizes[a][1] / 2],
    ...chain.flatMap(n => at.rowOf[n].map(y => [at.centers[n][0], y])),
    [bx + port(ax - bx, at.sizes[b][0]), by - at.sizes[b][1] / 2 - 1]];
  let path = `M${points[0]}`;
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i], bend = (y1 - y0) / 2;
    path += `C${x0},${y0 + bend} ${x1},${y1 - bend} ${x1},${y1}`;
  }
  const drawn = make("path", { d: path, fill: "none", "stroke-width": 1.4,
    stroke: stopped ? "#ea580c" : "#8b95a5", "marker-end": `url(#${marker})` }, parent);
  if (stopped) drawn.setAttribute("stroke-dasharray", "3 4");
  drawn.dataset.ends = ` ${a} ${b} `;
}

function text(parent, x, y, line, color, style) {
  make("text", { x, y, fill: color, "text-anchor": "middle", ...style }, parent, line);
}

const BOLD = { "font-size": 13, "font-weight": 600 }, FINE = { "font-size": 11, opacity: 0.85 };

function drawNode(n, at, parent) {
  const b = boxes[n], [cx, cy] = at.centers[n], [w, h] = at.sizes[n];
  const x = cx - w / 2, y = cy - h / 2, group = make("g", {}, parent);
  const [fill, border, color] = picture.colors[b.open ? b.own : b.kind] || picture.colors[b.kind];
  if (b.kind === "port") {
    text(group, cx, cy + 4, b.title, color, { "font-size": 11, "font-style": "italic" });
    return;
  }
  if (b.open) {
    make("rect", { x, y, width: w, height: h, rx: 10, fill: border, "fill-opacity": 0.07,
      stroke: border, "stroke-width": 1.3 }, group);
    const head = make("g", {}, group);
    make("rect", { x: x + 5, y: y + 5, width: 8 * b.title.length + 30, height: 19, rx: 6, fill },
      head);
    text(head, x + 14, y + 19, "\u2212", color, BOLD);
    make("text", { x: x + 25, y: y + 19, fill: color, ...BOLD }, head, b.title);
    active(head, n, false);
    const within = make("g", {}, group), inner = at.inner[n];
    within.setAttribute("transform", `translate(${x + (w - inner.width) / 2},${y + HEAD})`);
    draw(b, inner, within);
    return;
  }
  for (const k of b.times > 1 ? [6, 3] : []) {
    make("path", { d: `M${x + k + 8},${y + h + k}H${x + w + k - 6}q6,0 6,-6V${y + k + 8}`,
      fill: "none", stroke: border, "stroke-width": 1.1 }, group);
  }
  const round = ["variable", "watched", "input"].includes(b.kind) && b.lines.length < 2;
  const rect = make("rect", { x, y, width: w, height: h, rx: round ? Math.min(h / 2, 18) : 8, fill,
    stroke: border, "stroke-width": 1.3 }, group);
  if (b.kind === "none" || b.kind === "cut") rect.setAttribute("stroke-dasharray", "5 3");
  text(group, cx, y + 18, b.title, color, BOLD);
  b.lines.forEach((line, i) => text(group, cx, y + 33 + 15 * i, line, color, FINE));
  if (b.rows) {
    text(group, x + w - 10, y + 15, "+", color, BOLD);
    active(group, n, true);
  }
  group.dataset.node = n;
}

function active(group, n, opens) {
  const b = boxes[n];
  group.setAttribute("role", "button");
  group.setAttribute("tabindex", 0);
  group.setAttribute("aria-expanded", !opens);
  group.setAttribute("aria-label", `${opens ? "open" : "close"} ${b.title}`);
  group.dataset.node = n;
  group.dataset.toggles = n;
}

function draw(box, at, parent) {
  const group = make("g", { transform: `translate(${PAD},${PAD})` }, parent);
  for (const edge of box.edges) drawEdge(edge, at, group);
  for (const n of box.rows.flat()) if (n >= 0) drawNode(n, at, group);
}

// The view: what part of the picture is seen, and how large.

const marker = `to-${Math.random().toString(36).slice(2)}`;
const svg = make("svg", { "font-family": "ui-sans-serif,system-ui,sans-serif", role: "group",
  "aria-label": picture.caption });
const arrow = make("marker", { id: marker, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
  markerHeight: 7, orient: "auto" }, make("defs", {}, svg));
make("path", { d: "M0,0.5 L8,4 L0,7.5 z", fill: "#8b95a5" }, arrow);
const stage = make("g", {}, svg);
let scale = 1, shift = [0, 0], whole = null;

function move() {
  stage.setAttribute("transform", `translate(${shift[0]},${shift[1]}) scale(${scale})`);
}

function fit() {
  const { width, height } = view.getBoundingClientRect();
  scale = Math.min(1.1, width / whole.width, Math.max(height / whole.height, 0.6));
  const tall = whole.height * scale > height;
  shift = [(width - whole.width * scale) / 2, tall ? 0 : (height - whole.height * scale) / 2];
  move();
}

function zoom(factor, x, y) {
  const before = scale;
  scale = Math.max(0.02, Math.min(8, scale * factor));
  shift = [x - (x - shift[0]) * scale / before, y - (y - shift[1]) * scale / before];
  move();
}

function zoomMiddle(factor) {
  const { width, height } = view.getBoundingClientRect();
  zoom(factor, width / 2, height / 2);
}

function redraw() {
  whole = place(boxes[picture.root]);
  stage.textContent = "";
  draw(boxes[picture.root], whole, stage);
}

function toggle(n) {
  const spot = () => stage.querySelector(`[data-node="${n}"]`)?.getBoundingClientRect();
  const before = spot();
  boxes[n].open = !boxes[n].open;
  redraw();
  move();
  const after = spot();
  if (before && after) { // what was clicked stays under the pointer
    shift = [shift[0] + before.left - after.left, shift[1] + before.top - after.top];
    move();
  }
  stage.querySelector(`[data-toggles="${n}"]`)?.focus({ preventScroll: true });
}

function all(open) {
  for (const [n, b] of Object.entries(boxes)) if (b.rows && +n !== picture.root) b.open = open;
  redraw();
  fit();
}

// Pointer and keys.

const tip = document.createElement("div");
tip.className = "gt-tip";
tip.hidden = true;
const nodeAt = target => target.closest?.("[data-node]");

function point(event) {
  const { left, top } = view.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

function tell(event) {
  const node = nodeAt(event.target), n = node?.dataset.node;
  for (const path of stage.querySelectorAll("path[data-ends]")) {
    path.classList.toggle("gt-quiet", n !== undefined && !path.dataset.ends.includes(` ${n} `));
  }
  tip.hidden = n === undefined || !boxes[n].tip;
  if (tip.hidden) return;
  tip.textContent = `${boxes[n].title}\n${boxes[n].tip}`;
  const outer = here.getBoundingClientRect();
  const [x, y] = [event.clientX - outer.left, event.clientY - outer.top];
  tip.style.left = `${Math.max(4, Math.min(x + 14, outer.width - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 16, outer.height - tip.offsetHeight - 8))}px`;
}

let dragged = null;
view.addEventListener("pointerdown", event => {
  if (event.button === 0) dragged = { from: point(event), shift: [...shift], far: false };
});
view.addEventListener("pointermove", event => {
  if (!dragged) { tell(event); return; }
  const [x, y] = point(event), dx = x - dragged.from[0], dy = y - dragged.from[1];
  if (!dragged.far && Math.hypot(dx, dy) < 4) return;
  if (!dragged.far) view.setPointerCapture(event.pointerId);
  dragged.far = true;
  tip.hidden = true;
  shift = [dragged.shift[0] + dx, dragged.shift[1] + dy];
  move();
});
view.addEventListener("pointerup", event => {
  const click = dragged && !dragged.far && event.target.closest?.("[data-toggles]");
  dragged = null;
  if (click) toggle(+click.dataset.toggles);
});
view.addEventListener("pointercancel", () => { dragged = null; });
view.addEventListener("pointerleave", () => { tip.hidden = true; });
view.addEventListener("wheel", event => {
  if (here.dataset.where !== "page" && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * 0.0015), ...point(event));
}, { passive: false });
view.addEventListener("keydown", event => {
  const node = event.target.closest?.("[data-toggles]");
  if (!node || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  toggle(+node.dataset.toggles);
});

const bar = document.createElement("div");
bar.className = "gt-bar";
const nested = Object.values(boxes).filter(b => b.rows).length > 1;
if (nested) {
  button("open all", "open all boxes", bar, () => all(true));
  button("close all", "close all boxes", bar, () => all(false));
}
button("+", "zoom in", bar, () => zoomMiddle(1.25));
button("\u2212", "zoom out", bar, () => zoomMiddle(0.8));
button("fit", "show the whole picture", bar, fit);
const caption = document.createElement("span");
caption.className = "gt-caption";
caption.textContent = picture.caption;
bar.append(caption);
const legend = document.createElement("div");
legend.className = "gt-legend";
for (const [kind, meaning] of picture.legend) {
  const item = document.createElement("span"), mark = document.createElement("i");
  mark.style.background = picture.colors[kind][0];
  mark.style.borderColor = picture.colors[kind][1];
  item.append(mark, meaning);
  legend.append(item);
}
view.replaceChildren(svg);
here.prepend(bar);
here.append(legend, tip);
redraw();
fit();
new ResizeObserver(() => { if (!dragged) fit(); }).observe(view);
