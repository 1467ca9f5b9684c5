import type { Page } from 'playwright-core';

/** Controls that a finger cannot hit reliably: smaller than 44 pixels in one direction. Links in sentences may be. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    // A menu that opens is smaller for a moment. Spinners never end.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    // Half a pixel is lost when positions are rounded.
    const least = 43.5;
    const reach = 44 / 2 - 1;
    const selector =
      'button, a[href], select, textarea, input:not([type=file]), [role=menuitem], [role=menuitemradio], [role=tab]';
    return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((control) => {
      const { left, top, width, height } = control.getBoundingClientRect();
      const { labels } = control as HTMLInputElement;
      const label = (control.closest('label') ?? labels?.[0])?.getBoundingClientRect();
      const hits = (dx: number, dy: number) => {
        const hit = document.elementFromPoint(left + width / 2 + dx, top + height / 2 + dy);
        if (hit === null) return false;
        // Scrolled below the bar with the buttons of a form.
        const isBelowBar = hit.closest('.sticky') !== null && control.closest('.sticky') === null;
        return isBelowBar || control.contains(hit) || hit.closest('label')?.control === control;
      };
      const inline = control.matches('a') && getComputedStyle(control).display === 'inline';
      // Read-only, hidden, or behind a dialog.
      if (
        inline ||
        control.matches(':disabled') ||
        control.matches('.sr-only, [data-dense]') ||
        !hits(0, 0)
      )
        return [];
      const wide =
        Math.max(width, label?.width ?? 0) >= least || (hits(reach, 0) && hits(-reach, 0));
      const high =
        Math.max(height, label?.height ?? 0) >= least || (hits(0, reach) && hits(0, -reach));
      const name = control.getAttribute('aria-label') ?? control.innerText.slice(0, 40);
      return wide && high ? [] : [`${name}: ${Math.round(width)} × ${Math.round(height)}`];
    });
  });
