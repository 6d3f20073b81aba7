for (const box of document.querySelectorAll('.read')) {
  const all = JSON.parse(box.dataset.values), out = box.querySelector('.out');
  const size = (n) => (Math.abs(n) / 10 ** all.n).toFixed(all.n);
  const cell = (i, j) => {
    const distance = all.d[i][j], gap = all.r[i][j], pair = all.w[i] + ' × ' + all.a[j];
    const more = gap === 0 ? 'as usual for both words'
      : size(gap) + (gap > 0 ? ' closer' : ' farther') + ' than usual for both words';
    return [pair, distance === null ? ': not measured'
      : ': distance ' + (distance < 0 ? '−' : '') + size(distance) + ', ' + more];
  };
  for (const svg of box.querySelectorAll('svg')) {
    const at = JSON.parse(svg.dataset.places), cursor = svg.querySelector('.cur');
    let i = 0, j = 0;
    const show = () => {
      const box = {x: at.x[j] - .5, y: at.y[i] - .5, width: at.w[0], height: at.h[0]};
      for (const [name, value] of Object.entries(box)) cursor.setAttribute(name, value);
      const bold = document.createElement('b'), [name, text] = all.t ? all.t[i] : cell(i, j);
      bold.textContent = name;
      out.replaceChildren(bold, text);
    };
    const find = (value, starts, width) => starts.findIndex((s) => value >= s && value <= s + width);
    svg.addEventListener('pointermove', (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const a = find(point.x, at.x, at.w[0]), b = find(point.y, at.y, at.h[0]);
      if (a >= 0 && b >= 0) { j = a; i = b; show(); }
    });
    svg.addEventListener('focus', show);
    svg.addEventListener('keydown', (event) => {
      const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -999], End: [0, 999]}[event.key];
      if (!step) return;
      event.preventDefault();
      i = Math.max(0, Math.min(at.y.length - 1, i + step[0]));
      j = Math.max(0, Math.min(at.x.length - 1, j + step[1]));
      show();
    });
  }
}
