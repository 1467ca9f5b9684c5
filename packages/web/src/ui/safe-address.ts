/** Addresses that text of others may lead to: the web and mail, and nothing that runs in the page. */
export function isSafeAddress(href: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}
