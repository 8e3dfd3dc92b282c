() => {
  // controls without a name, and text that stands out too little (WCAG AA: 4.5, large text 3)
  const seen = (e) => e.checkVisibility();
  const controls = [...document.querySelectorAll("button, a[href], input, select, textarea")].filter(seen);
  const nameless = controls.filter((e) => {
    const label = e.getAttribute("aria-label") || [...(e.labels ?? [])].map((each) => each.textContent.trim()).join("");
    const isText = e.tagName === "BUTTON" || e.tagName === "A";
    return !(label || (isText && (e.textContent.trim() || e.title)));
  });
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const channels = (text) => text.match(/[\d.]+/g).map(Number);
  const behind = (e) => {
    for (let p = e; p; p = p.parentElement) {
      const style = getComputedStyle(p);
      if (style.backgroundImage !== "none") return null; // pictures and gradients cannot be judged so
      const colour = channels(style.backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const pale = new Set();
  for (const e of document.querySelectorAll("main *, header *")) {
    if (!seen(e) || e.closest("svg") || e.closest("[disabled]")) continue;
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const back = behind(e);
    if (!back) continue;
    const style = getComputedStyle(e);
    const [a, b] = [luminance(channels(style.color).slice(0, 3)), luminance(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) pale.add(`${e.tagName}.${e.className} "${e.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return { nameless: nameless.map((e) => e.outerHTML.slice(0, 120)), pale: [...pale].slice(0, 10) };
}
