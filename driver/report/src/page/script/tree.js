// The tree of decisions. Only the rows that are in sight are there; the picture above leaves out what is less wide
// than half a dot. So a hundred thousand paths are no more work than ten.
(() => {
  "use strict";
  const ROW = 24;
  const STRIP = 10;
  const SPLIT = 0;
  const COUNTED = 1;
  const END = 2;
  const CLASSES = { finished: "good", fault: "bad", unsupported: "warn", internal: "warn" };
  const classOf = (end) => CLASSES[end] ?? (end.startsWith("open") ? "open" : "limit");

  // The nodes, each a position in these arrays, parents before children.
  const decode = ({ count, nodes, ends }) => {
    const bytes = Uint8Array.from(atob(nodes), (it) => it.charCodeAt(0));
    const tree = {
      kind: new Uint8Array(count),
      what: new Int32Array(count),
      parent: new Int32Array(count),
      end: new Int32Array(count),
      side: new Int32Array(count),
      test: new Int32Array(count),
      depth: new Int32Array(count),
      paths: new Float64Array(count),
      bad: new Float64Array(count),
      counted: new Map(),
      count,
    };
    const isBad = ends.map((it) => it === "fault");
    let at = 0;
    const number = () => {
      let value = 0;
      for (let step = 1; ; step *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * step;
        if (byte < 128) return value;
      }
    };
    // Splits whose sides are not all there yet: node, numbers of the sides, the next of them.
    const open = [];
    const place = (node) => {
      const above = open.at(-1);
      tree.parent[node] = above ? above[0] : -1;
      tree.depth[node] = above ? tree.depth[above[0]] + 1 : 0;
      tree.side[node] = above ? above[1][above[2]++] : 0;
    };
    const close = (node) => {
      tree.end[node] = node + 1;
      while (open.length && open.at(-1)[2] === open.at(-1)[1].length) {
        tree.end[open.pop()[0]] = node + 1;
      }
    };
    for (let node = 0; node < count; node++) {
      place(node);
      const tag = bytes[at++];
      if (tag < 2) {
        tree.kind[node] = SPLIT;
        tree.what[node] = number();
        const sides = tag === 0 ? [0, 1] : Array.from({ length: number() }, number);
        open.push([node, sides, 0]);
        continue;
      }
      if (tag === 2) {
        tree.kind[node] = COUNTED;
        const list = Array.from({ length: number() }, () => [bytes[at++], number()]);
        tree.counted.set(node, list);
        for (const [end, paths] of list) {
          tree.paths[node] += paths;
          if (isBad[end]) tree.bad[node] += paths;
        }
      } else {
        tree.kind[node] = END;
        tree.what[node] = tag - 3;
        tree.test[node] = number();
        tree.paths[node] = 1;
        tree.bad[node] = isBad[tag - 3] ? 1 : 0;
      }
      close(node);
    }
    for (let node = count - 1; node > 0; node--) {
      const above = tree.parent[node];
      if (above < 0) continue;
      tree.paths[above] += tree.paths[node];
      tree.bad[above] += tree.bad[node];
    }
    return tree;
  };

  const element = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const start = (box) => {
    const data = (window.plat ??= JSON.parse(document.getElementById("data").textContent));
    const source = data.runs[Number(box.dataset.tree)].tree;
    const { places, ends } = source;
    const tree = decode(source);
    const open = new Uint8Array(tree.count);
    const find = (selector) => box.querySelector(selector);
    const rows = find(".rows");
    const space = find(".space");
    const sight = find(".window");
    const canvas = find("canvas");
    const found = find(".found");
    let visible = [];
    let chosen = 0;
    let focus = 0;
    let matches = () => false;
    let searching = false;

    const sideName = (node) => {
      const above = tree.parent[node];
      if (above < 0) return "";
      const side = tree.side[node];
      const yesNo = places[tree.what[above]][0] === "branch";
      return yesNo && side < 2 ? ["yes", "no"][side] : String(side);
    };
    const endText = (node) => {
      if (tree.kind[node] === END) {
        const test = tree.test[node] ? `, test ${tree.test[node]}` : "";
        return ends[tree.what[node]] + test;
      }
      return tree.counted.get(node).map(([end, paths]) => `${paths.toLocaleString("en")} ${ends[end]}`).join(", ");
    };
    const classes = (node) => {
      if (tree.kind[node] === END) return classOf(ends[tree.what[node]]);
      return tree.bad[node] > 0 ? "bad" : "good";
    };

    // Rows.
    const draw = () => {
      const first = Math.max(0, Math.floor(rows.scrollTop / ROW) - 8);
      const last = Math.min(visible.length, first + Math.ceil(rows.clientHeight / ROW) + 16);
      sight.style.transform = `translateY(${first * ROW}px)`;
      sight.replaceChildren(...visible.slice(first, last).map(row));
    };
    const row = (node) => {
      const row = element("div", "node");
      row.dataset.node = node;
      row.setAttribute("role", "treeitem");
      row.setAttribute("aria-level", tree.depth[node] + 1);
      row.classList.toggle("chosen", node === chosen);
      row.classList.toggle("match", searching && matches(node));
      const deep = tree.depth[node] - tree.depth[visible[0] ?? 0];
      row.style.paddingLeft = `${8 + 14 * (deep > 24 ? 24 : deep)}px`;
      if (deep > 24) row.append(element("span", "deep", `+${deep - 24}`));
      const isSplit = tree.kind[node] === SPLIT;
      if (isSplit) row.setAttribute("aria-expanded", open[node] === 1);
      row.append(element("span", "fold", isSplit ? (open[node] ? "\u25be" : "\u25b8") : ""));
      const side = sideName(node);
      if (side) row.append(element("span", `side ${side}`, side));
      if (isSplit) {
        const [kind, name, line, text] = places[tree.what[node]];
        if (kind !== "branch") row.append(element("span", "kind", kind));
        row.append(element("span", "place", line || name));
        row.append(element("code", "text", text || name));
        row.append(element("span", "paths", tree.paths[node].toLocaleString("en")));
        if (tree.bad[node]) row.append(element("span", "faults", `${tree.bad[node].toLocaleString("en")} \u2717`));
        row.title = `${kind} in ${name} ${line}: ${tree.paths[node].toLocaleString("en")} paths`;
      } else {
        row.append(element("span", `end ${classes(node)}`, endText(node)));
      }
      return row;
    };
    const build = () => {
      visible = [];
      for (let node = 0; node < tree.count; ) {
        visible.push(node);
        node = tree.kind[node] === SPLIT && !open[node] ? tree.end[node] : node + 1;
      }
      space.style.height = `${visible.length * ROW}px`;
      draw();
    };
    // Where in the visible rows a node is: they are in the order of nodes.
    const rowOf = (node) => {
      let low = 0;
      let high = visible.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (visible[middle] <= node) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    const choose = (node) => {
      chosen = node;
      for (let above = tree.parent[node]; above >= 0; above = tree.parent[above]) open[above] = 1;
      build();
      const top = rowOf(node) * ROW;
      if (top < rows.scrollTop || top + ROW > rows.scrollTop + rows.clientHeight) {
        rows.scrollTop = top - rows.clientHeight / 2;
      }
      draw();
      paint();
    };
    const toggle = (node) => {
      if (tree.kind[node] === SPLIT) open[node] ^= 1;
      chosen = node;
      build();
      paint();
    };
    const fold = () => {
      open.fill(0);
      // So far that there is something to see.
      let shown = 1;
      for (let node = 0; node < tree.count && shown < 14; node++) {
        const above = tree.parent[node];
        if (tree.kind[node] !== SPLIT || (above >= 0 && !open[above])) continue;
        open[node] = 1;
        shown += 2;
      }
      chosen = 0;
      build();
      rows.scrollTop = 0;
      focus = 0;
      paint();
    };
    rows.addEventListener("scroll", draw, { passive: true });
    rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-node]");
      if (row) toggle(Number(row.dataset.node));
    });
    rows.addEventListener("keydown", (event) => {
      const at = rowOf(chosen);
      const isOpen = tree.kind[chosen] === SPLIT && open[chosen];
      const steps = {
        ArrowDown: () => choose(visible[Math.min(at + 1, visible.length - 1)]),
        ArrowUp: () => choose(visible[Math.max(at - 1, 0)]),
        ArrowRight: () => (isOpen || tree.kind[chosen] !== SPLIT ? choose(visible[Math.min(at + 1, visible.length - 1)]) : toggle(chosen)),
        ArrowLeft: () => (isOpen ? toggle(chosen) : choose(Math.max(tree.parent[chosen], 0))),
        Enter: () => toggle(chosen),
      };
      if (!steps[event.key]) return;
      event.preventDefault();
      steps[event.key]();
    });

    // Search.
    const search = (wanted) => {
      const text = wanted.trim().toLowerCase();
      searching = text !== "";
      const has = places.map((place) => place.join(" ").toLowerCase().includes(text));
      const hasEnd = ends.map((end) => end.toLowerCase().includes(text));
      const test = Number(/^(?:test\s*)?(\d+)$/.exec(text)?.[1] ?? 0);
      matches = (node) => {
        if (tree.kind[node] === SPLIT) return has[tree.what[node]];
        if (tree.kind[node] === END) return hasEnd[tree.what[node]] || (test > 0 && tree.test[node] === test);
        return tree.counted.get(node).some(([end]) => hasEnd[end]);
      };
      let all = 0;
      if (searching) for (let node = 0; node < tree.count; node++) all += matches(node);
      found.textContent = searching ? `${all.toLocaleString("en")} found` : "";
      return all;
    };
    const step = (by) => {
      if (!searching) return;
      for (let tried = 1; tried <= tree.count; tried++) {
        const node = (chosen + by * tried + tree.count * 2) % tree.count;
        if (matches(node)) return choose(node);
      }
    };
    const field = find("[data-search]");
    field.addEventListener("input", () => {
      search(field.value);
      draw();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    });
    for (const button of box.querySelectorAll("[data-find]")) {
      button.addEventListener("click", () => step(Number(button.dataset.find)));
    }
    for (const button of box.querySelectorAll("[data-show]")) {
      button.addEventListener("click", () => {
        field.value = button.dataset.show;
        search(field.value);
        step(1);
      });
    }
    find("[data-fold]").addEventListener("click", fold);

    // The picture: a strip for each level below the node in focus.
    let drawn = [];
    const paint = () => {
      const style = getComputedStyle(box);
      const color = (name) => style.getPropertyValue(`--${name}`).trim();
      const colors = { good: color("good"), bad: color("bad"), warn: color("warn"), open: color("accent"), limit: color("muted") };
      const [plain, edge, text] = [color("strip"), color("surface"), color("text")];
      const scale = devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (!width) return;
      canvas.width = width * scale;
      canvas.height = height * scale;
      const pen = canvas.getContext("2d");
      pen.scale(scale, scale);
      const levels = Math.floor(height / STRIP);
      const one = width / Math.max(tree.paths[focus], 1);
      const roots = focus === 0 && tree.end[0] < tree.count ? [...siblings()] : [focus];
      const all = roots.reduce((sum, node) => sum + tree.paths[node], 0);
      const unit = roots.length > 1 ? width / Math.max(all, 1) : one;
      drawn = [];
      const stack = [];
      let left = 0;
      for (const node of roots) {
        stack.push([node, left, 0]);
        left += tree.paths[node] * unit;
      }
      while (stack.length) {
        const [node, x, level] = stack.pop();
        const wide = tree.paths[node] * unit;
        if (wide < 0.5 || level >= levels) continue;
        const isSplit = tree.kind[node] === SPLIT;
        pen.fillStyle = isSplit ? plain : colors[classes(node)];
        pen.fillRect(x, level * STRIP, wide, STRIP);
        if (isSplit && tree.bad[node]) {
          // The more of its paths end in a fault, the redder.
          pen.globalAlpha = 0.15 + 0.6 * Math.sqrt(tree.bad[node] / tree.paths[node]);
          pen.fillStyle = colors.bad;
          pen.fillRect(x, level * STRIP, wide, STRIP);
          pen.globalAlpha = 1;
        }
        pen.fillStyle = edge;
        if (wide > 2) pen.fillRect(x + wide - 0.5, level * STRIP, 0.5, STRIP);
        pen.fillRect(x, level * STRIP + STRIP - 0.5, wide, 0.5);
        if (node === chosen) {
          pen.strokeStyle = text;
          pen.lineWidth = 1.5;
          pen.strokeRect(x + 0.75, level * STRIP + 0.75, Math.max(wide - 1.5, 1), STRIP - 2);
        }
        drawn.push([node, x, wide, level]);
        if (!isSplit) continue;
        let from = x;
        for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
          stack.push([child, from, level + 1]);
          from += tree.paths[child] * unit;
        }
      }
    };
    function* siblings() {
      for (let node = 0; node < tree.count; node = tree.end[node]) yield node;
    }
    const under = (event) => {
      const area = canvas.getBoundingClientRect();
      const [x, level] = [event.clientX - area.left, Math.floor((event.clientY - area.top) / STRIP)];
      return drawn.find((it) => it[3] === level && x >= it[1] && x < it[1] + it[2])?.[0];
    };
    canvas.addEventListener("click", (event) => {
      const node = under(event);
      if (node === undefined) return;
      // The node in focus leads back up.
      focus = node === focus ? Math.max(tree.parent[node], 0) : tree.kind[node] === SPLIT ? node : focus;
      choose(node === focus ? focus : node);
    });
    canvas.addEventListener("pointermove", (event) => {
      const node = under(event);
      canvas.title = node === undefined ? "" : tree.kind[node] === SPLIT ? row(node).title : endText(node);
    });
    const again = () => {
      draw();
      paint();
    };
    addEventListener("resize", again);
    document.addEventListener("shown", again);
    document.addEventListener("theme", paint);
    fold();
  };

  // Each tree is read when its run is shown, behind what is needed to see the page.
  const begun = new Set();
  const begin = () => {
    for (const box of document.querySelectorAll("[data-tree]")) {
      if (begun.has(box) || !box.clientWidth) continue;
      begun.add(box);
      setTimeout(() => start(box));
    }
  };
  document.addEventListener("shown", begin);
  drive(begin);
})();
