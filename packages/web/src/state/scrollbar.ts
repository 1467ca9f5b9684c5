/** Sets `--scrollbar`, the width of a scrollbar gutter. Zero where scrollbars are overlays. */
export function measureScrollbar(): void {
  const probe = document.createElement('div');
  probe.style.cssText =
    'position: absolute; width: 100px; overflow: auto; scrollbar-gutter: stable';
  const content = probe.appendChild(document.createElement('div'));
  document.body.append(probe);
  const width = 100 - content.offsetWidth;
  probe.remove();
  document.documentElement.style.setProperty('--scrollbar', `${width}px`);
}
