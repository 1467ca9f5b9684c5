import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';

/** A terminal tab. Its id is unknown until it is opened. */
export interface OpenTerminal {
  readonly key: string;
  readonly terminalId: string | undefined;
  readonly number: number;
}

export interface OpenTerminals {
  /** Undefined while loading. */
  readonly list: readonly OpenTerminal[] | undefined;
  readonly shown: string | undefined;
  readonly show: (key: string) => void;
  readonly add: () => void;
  readonly remove: (key: string) => void;
  readonly opened: (key: string, terminalId: string) => void;
}

/** Kept across reloads. */
const keyOf = (workspaceId: string) => `chatd.terminal.${workspaceId}`;
const remember = (workspaceId: string, terminalId: string) =>
  sessionStorage.setItem(keyOf(workspaceId), terminalId);

let made = 0;
const fresh = (number: number): OpenTerminal => {
  made += 1;
  return { key: `new-${made}`, terminalId: undefined, number };
};

/** The terminals of a workspace: those open on the server and those opened here. */
export function useOpenTerminals(workspaceId: string): OpenTerminals {
  const [list, setList] = useState<readonly OpenTerminal[]>();
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    let left = false;
    const begin = (ids: readonly string[]) => {
      if (left) return;
      const known = ids.map((id, index) => ({ key: id, terminalId: id, number: index + 1 }));
      const all = known.length > 0 ? known : [fresh(1)];
      setList(all);
      const before = sessionStorage.getItem(keyOf(workspaceId));
      const last = all.find(({ terminalId }) => terminalId === before) ?? all[0];
      setShown(last?.key);
    };
    client.call('listTerminals', { params: { workspace_id: workspaceId } }).then(
      ({ terminals }) => begin(terminals.map(({ id }) => id)),
      () => begin([]),
    );
    return () => {
      left = true;
    };
  }, [workspaceId]);
  const show = (key: string) => {
    setShown(key);
    const terminalId = list?.find((one) => one.key === key)?.terminalId;
    if (terminalId !== undefined) remember(workspaceId, terminalId);
  };
  return {
    list,
    shown,
    show,
    add: () => {
      const next = fresh(1 + Math.max(0, ...(list ?? []).map(({ number }) => number)));
      setList((all = []) => [...all, next]);
      setShown(next.key);
    },
    remove: (key) => {
      const at = list?.findIndex((one) => one.key === key) ?? -1;
      const rest = (list ?? []).filter((one) => one.key !== key);
      setList(rest);
      if (shown === key) setShown(rest[Math.min(at, rest.length - 1)]?.key);
    },
    opened: (key, terminalId) => {
      remember(workspaceId, terminalId);
      setList((all) => all?.map((one) => (one.key === key ? { ...one, terminalId } : one)));
    },
  };
}
