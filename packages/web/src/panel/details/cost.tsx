import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { promptTokens } from '../../timeline/rows/turn.ts';
import { money, tokenCount, tokensRead } from '../../format/money.ts';
import { TableCell, HeaderCell, NameCell, Table } from '../../ui/table.tsx';
import { duration } from '../../format/time.ts';
import { DetailsSection } from './section.tsx';

/** The cost of a chat and its subagents by model. */
export function Cost({ chat, store }: { readonly chat: Chat; readonly store: ChatStore }) {
  const { data, error, refetch } = useQuery({
    ...apiQuery('getChatCost', { params: { chat_id: chat.id } }),
    staleTime: 1000,
  });
  const { data: models } = useQuery(apiQuery('listModelConfigs'));
  useEffect(() => store.status.subscribe(() => void refetch()), [store, refetch]);
  const nameOf = (id: string) =>
    models?.model_configs.find((config) => config.id === id)?.display_name ?? 'Deleted model';
  if (error !== null) return <DetailsSection title="Cost">{explain(error)}</DetailsSection>;
  if (data === undefined) return <DetailsSection title="Cost">…</DetailsSection>;
  const { total, by_model } = data;
  return (
    <DetailsSection title="Cost">
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
    </DetailsSection>
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
      <TableCell className="text-right">
        {tokensRead(promptTokens(sums), sums.cache_read_tokens)}
      </TableCell>
      <TableCell className="text-right">{tokenCount(sums.output_tokens)}</TableCell>
      <TableCell className="text-right">{duration(sums.runtime_ms)}</TableCell>
      <TableCell className="text-right">
        {sums.unpriced_calls === sums.calls ? 'no price' : money(sums.cost_micros)}
      </TableCell>
    </>
  );
}
