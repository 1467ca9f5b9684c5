const WORDS = 6;
const LENGTH = 50;

/** The branch of a chat: `chatd/` and the words of its title. */
export function branchOf({ id, title }: { readonly id: string; readonly title: string | null }) {
  const words = (title ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .split('-')
    .filter((word) => word !== '');
  const slug = words.slice(0, WORDS).join('-').slice(0, LENGTH).replace(/-$/, '');
  // The end of the ID is random.
  return `chatd/${slug === '' ? 'chat' : slug}-${id.slice(-4)}`;
}
