// Whether text can be read on what is behind it: the contrast that WCAG 2.1 asks for (level AA), for each pair of
// colours that is shown. What cannot be read goes to `wrong`.
function unreadable(theme, wrong) {
  const numbers = (color) => (color.match(/[\d.]+/g) || []).map(Number);
  const over = (front, back) => {
    const alpha = front[3] ?? 1;
    return [0, 1, 2].map((at) => alpha * front[at] + (1 - alpha) * back[at]);
  };
  const ground = (element) => {
    const behind = [];
    for (let it = element; it; it = it.parentElement) behind.push(numbers(getComputedStyle(it).backgroundColor));
    return behind.reverse().reduce((back, front) => (front.length < 3 ? back : over(front, back)), [255, 255, 255]);
  };
  const light = (color) => {
    const [red, green, blue] = color.map((it) => it / 255).map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const seen = new Set();
  let pairs = 0;
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((it) => it.nodeType === 3 && it.textContent.trim());
    if (!own || element.closest("script, style, template, noscript, option") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const text = style[element.closest("svg") ? "fill" : "color"];
    const key = [text, style.fontSize, style.fontWeight, element.tagName, element.className.baseVal ?? element.className].join();
    if (seen.has(key) || numbers(text).length < 3) continue;
    seen.add(key);
    pairs++;
    const back = ground(element);
    const [one, other] = [light(over(numbers(text), back)), light(back)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      wrong.push(`${theme}: ${ratio.toFixed(2)} of contrast: <${element.tagName.toLowerCase()} class="${element.className.baseVal ?? element.className}"> ${element.textContent.trim().slice(0, 30)}`);
    }
  }
  return pairs;
}
