import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds in the side panel that would keep somebody from using it, a line each. */
export async function panelIssues(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include('section[aria-label="Side panel"]')
    .analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`));
}
