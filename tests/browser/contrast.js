() => {
  const brush = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const luminance = rgb => rgb.map(c => c / 255).map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const faded = element => {
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    return opacity;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement, text = texts.currentNode.textContent.trim();
    if (!text || element.closest('script, style, noscript, [aria-hidden=true] table')) continue;
    if (!element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const style = getComputedStyle(element), background = behind(element);
    const [r, g, b, a] = rgba(element instanceof SVGElement ? style.fill : style.color);
    const [dark, light] = [over([r, g, b, a * faded(element)], background), background].map(luminance).sort((x, y) => x - y);
    const place = element.closest('[id]');
    found.push({text: text.slice(0, 40), ratio: (light + 0.05) / (dark + 0.05),
      what: `${place ? `#${place.id} ` : ''}${element.tagName.toLowerCase()}.${element.classList[0] ?? ''}`});
  }
  return found;
}
