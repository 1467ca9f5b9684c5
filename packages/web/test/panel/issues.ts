import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Serious accessibility issues that axe finds in the side panel, one per line. */
export async function panelIssues(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include('section[aria-label="Side panel"]')
    .analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`));
}
