import type { ModelConfig } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { INPUT } from '../../ui/field.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { TableCell, HeaderCell, NameCell, Table } from '../../ui/table.tsx';
import { microsText, notNumbers } from '../form/numbers.ts';
import { type FieldErrors, useForm } from '../form/use-form.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { Heading } from '../parts/heading.tsx';
import { priceOf } from './model-values.ts';

const CLASSES = [
  { name: 'price_input', label: 'Input' },
  { name: 'price_output', label: 'Output' },
  { name: 'price_cache_read', label: 'Cache read' },
  { name: 'price_cache_write', label: 'Cache write' },
] as const;

export function Prices() {
  const configs = useQuery(apiQuery('listModelConfigs'));
  return (
    <>
      <Heading
        title="Prices"
        about="Per million tokens, in your currency. A new price applies to new calls. Empty cache prices default to the input price. Calls without a price are counted but not included in costs."
      />
      <QueryResult to={configs}>
        {({ model_configs }) => (
          <Table label="Prices per million tokens">
            <thead>
              <tr>
                <HeaderCell>Model</HeaderCell>
                {CLASSES.map(({ name, label }) => (
                  <HeaderCell key={name}>{label}</HeaderCell>
                ))}
                <HeaderCell>
                  <span className="sr-only">Save</span>
                </HeaderCell>
              </tr>
            </thead>
            <tbody>
              {model_configs.map((config) => (
                <PriceRow key={config.id} config={config} />
              ))}
            </tbody>
          </Table>
        )}
      </QueryResult>
    </>
  );
}

function PriceRow({ config }: { readonly config: ModelConfig }) {
  const { id, display_name, price } = config;
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: {
      price_input: microsText(price?.input),
      price_output: microsText(price?.output),
      price_cache_read: microsText(price?.cache_read),
      price_cache_write: microsText(price?.cache_write),
    },
    check(values): FieldErrors {
      const names = CLASSES.map(({ name }) => name);
      const half = priceOf(values) === null && names.some((name) => values[name].trim() !== '');
      return {
        ...notNumbers(values, names),
        ...(half && {
          [values.price_input.trim() === '' ? 'price_input' : 'price_output']:
            'set both input and output',
        }),
      };
    },
    async save(values) {
      const body = { price: priceOf(values) };
      await client.call('updateModelConfig', { params: { model_config_id: id }, body });
      await changed();
    },
  });
  const error = CLASSES.map(({ name }) => form.errorAt(name)).find((said) => said !== undefined);
  const problem = error ?? form.problem;
  return (
    <tr
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement && form.changed) {
          form.submit();
        }
        if (event.key === 'Escape') form.reset();
      }}
    >
      <NameCell className="min-w-36">
        {display_name}
        {problem !== undefined && (
          <p role="alert" className="text-sm font-normal text-bad">
            {problem}
          </p>
        )}
      </NameCell>
      {CLASSES.map(({ name, label }) => (
        <TableCell key={name} className="min-w-24">
          <input
            aria-label={`${label} price of ${display_name}`}
            aria-invalid={form.errorAt(name) !== undefined}
            inputMode="decimal"
            autoComplete="off"
            value={form.values[name]}
            onChange={(event) => form.set({ [name]: event.target.value })}
            className={INPUT}
          />
        </TableCell>
      ))}
      <TableCell className="min-w-24">
        {form.changed || form.saving ? (
          <Button
            size="small"
            kind="primary"
            disabled={form.saving}
            aria-label={`Save prices of ${display_name}`}
            onClick={() => form.submit()}
          >
            {form.saving && <Spinner />}
            Save
          </Button>
        ) : (
          <span role="status" className="text-sm text-muted">
            {form.saved && 'Saved'}
          </span>
        )}
      </TableCell>
    </tr>
  );
}
