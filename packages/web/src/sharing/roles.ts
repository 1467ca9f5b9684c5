import type { ChatRole } from '@chatd/protocol';

export const ROLES: readonly { readonly value: ChatRole; readonly label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'editor', label: 'Editor' },
];
