/** URLs that untrusted text may link to: web and mail addresses only. */
export function isSafeAddress(href: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}
