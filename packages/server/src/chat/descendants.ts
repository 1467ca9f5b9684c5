interface Member {
  readonly id: string;
  readonly parent_chat_id: string | null;
}

/** The descendants of a chat within its family. Cycles are ignored. */
export function descendants<M extends Member>(chatId: string, family: readonly M[]): M[] {
  const parents = new Map(family.map((member) => [member.id, member.parent_chat_id]));
  return family.filter(({ id, parent_chat_id }) => {
    const seen = new Set([id]);
    for (let at = parent_chat_id; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
      if (at === chatId) return true;
      seen.add(at);
    }
    return false;
  });
}
