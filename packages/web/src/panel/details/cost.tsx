import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { explain } from '../../api/explain.ts';
import { question } from '../../api/queries.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { promptTokens } from '../../timeline/rows/turn.ts';
import { money, tokenCount, tokensRead } from '../../ui/money.ts';
import { Cell, HeaderCell, NameCell, Table } from '../../ui/table.tsx';
import { duration } from '../../ui/time.ts';
import { Section } from './section.tsx';

/** The cost of a chat and its subagents by model. */
export function Cost({ chat, store }: { readonly chat: Chat; readonly store: ChatStore }) {
  const { data, error, refetch } = useQuery({
    ...question('getChatCost', { params: { chat_id: chat.id } }),
    staleTime: 1000,
  });
  const { data: models } = useQuery(question('listModelConfigs'));
  useEffect(() => store.status.subscribe(() => void refetch()), [store, refetch]);
  const nameOf = (id: string) =>
    models?.model_configs.find((config) => config.id === id)?.display_name ?? 'Deleted model';
  if (error !== null) return <Section title="Cost">{explain(error)}</Section>;
  if (data === undefined) return <Section title="Cost">…</Section>;
  const { total, by_model } = data;
  return (
    <Section title="Cost">
      {by_model.length === 0 ? (
        <p className="text-sm text-muted">No model calls yet</p>
      ) : (
        <Table label="Cost by model">
          <thead>
            <tr>
              <HeaderCell>Model</HeaderCell>
              <HeaderCell className="text-right">In</HeaderCell>
              <HeaderCell className="text-right">Out</HeaderCell>
              <HeaderCell className="text-right">Time</HeaderCell>
              <HeaderCell className="text-right">Cost</HeaderCell>
            </tr>
          </thead>
          <tbody className="text-sm tabular-nums">
            {by_model.map(({ model_config_id, ...sums }) => (
              <tr key={model_config_id}>
                <NameCell>{nameOf(model_config_id)}</NameCell>
                <Sums sums={sums} />
              </tr>
            ))}
            {by_model.length > 1 && (
              <tr>
                <NameCell>Total</NameCell>
                <Sums sums={total} />
              </tr>
            )}
          </tbody>
        </Table>
      )}
      {by_model.length > 0 && (
        <p className="mt-1 text-sm text-muted">
          Subagents are included. “In” includes cached tokens.
          {total.unpriced_calls > 0 && ' Calls to models without a price are not included.'}
        </p>
      )}
    </Section>
  );
}

function Sums({
  sums,
}: {
  readonly sums: {
    readonly input_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_creation_tokens: number;
    readonly output_tokens: number;
    readonly runtime_ms: number;
    readonly cost_micros: number;
    readonly calls: number;
    readonly unpriced_calls: number;
  };
}) {
  return (
    <>
      <Cell className="text-right">{tokensRead(promptTokens(sums), sums.cache_read_tokens)}</Cell>
      <Cell className="text-right">{tokenCount(sums.output_tokens)}</Cell>
      <Cell className="text-right">{duration(sums.runtime_ms)}</Cell>
      <Cell className="text-right">
        {sums.unpriced_calls === sums.calls ? 'no price' : money(sums.cost_micros)}
      </Cell>
    </>
  );
}
