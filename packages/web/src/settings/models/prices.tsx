import type { ModelConfig } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { INPUT } from '../../ui/field.tsx';
import { HeaderCell, NameCell, Table, TableCell } from '../../ui/table.tsx';
import { microsText, notNumbers } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { type FieldErrors, type Form, useForm } from '../form/use-form.ts';
import { Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { priceOf } from './model-values.ts';

const CLASSES = [
  { name: 'price_input', label: 'Input' },
  { name: 'price_output', label: 'Output' },
  { name: 'price_cache_read', label: 'Cache read' },
  { name: 'price_cache_write', label: 'Cache write' },
] as const;
const NAMES = CLASSES.map(({ name }) => name);

type Prices = Readonly<Record<(typeof CLASSES)[number]['name'], string>>;
/** By the id of the model config. */
type AllPrices = Readonly<Record<string, Prices>>;

const pricesOf = ({ price }: ModelConfig): Prices => ({
  price_input: microsText(price?.input),
  price_output: microsText(price?.output),
  price_cache_read: microsText(price?.cache_read),
  price_cache_write: microsText(price?.cache_write),
});

export function Prices() {
  const configs = useQuery(apiQuery('listModelConfigs'));
  return (
    <>
      <Heading
        title="Prices"
        about="US dollars per million tokens. A new price applies to new calls. Empty cache prices default to the input price. Calls without a price are counted but not included in costs."
      />
      <QueryResult to={configs}>
        {({ model_configs }) => <PriceForm configs={model_configs} />}
      </QueryResult>
    </>
  );
}

function PriceForm({ configs }: { readonly configs: readonly ModelConfig[] }) {
  const changed = useInvalidateQueries();
  const stored: AllPrices = Object.fromEntries(configs.map((one) => [one.id, pricesOf(one)]));
  const form = useForm<AllPrices>({
    initial: stored,
    check: (values) =>
      Object.fromEntries(Object.entries(values).flatMap(([id, prices]) => errorsOf(id, prices))),
    async save(values) {
      for (const [id, prices] of Object.entries(values)) {
        if (JSON.stringify(prices) === JSON.stringify(stored[id])) continue;
        const body = { price: priceOf(prices) };
        await client.call('updateModelConfig', { params: { model_config_id: id }, body });
      }
      await changed();
    },
  });
  return (
    <SettingsForm form={form} label="Prices">
      <Table label="Prices per million tokens">
        <thead>
          <tr>
            <HeaderCell>Model</HeaderCell>
            {CLASSES.map(({ name, label }) => (
              <HeaderCell key={name}>{label}</HeaderCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {configs.map((config) => (
            <PriceRow key={config.id} config={config} form={form} />
          ))}
        </tbody>
      </Table>
    </SettingsForm>
  );
}

function errorsOf(id: string, prices: Prices): [string, string][] {
  const half = priceOf(prices) === null && NAMES.some((name) => prices[name].trim() !== '');
  const missing = prices.price_input.trim() === '' ? 'price_input' : 'price_output';
  const errors: FieldErrors = {
    ...notNumbers(prices, NAMES),
    ...(half && { [missing]: 'set both input and output' }),
  };
  return Object.entries(errors).map(([name, error]) => [`${id}.${name}`, error]);
}

function PriceRow({
  config,
  form,
}: {
  readonly config: ModelConfig;
  readonly form: Form<AllPrices>;
}) {
  const { id, display_name } = config;
  const prices = form.values[id] ?? pricesOf(config);
  const errorOf = (name: string) => form.errorAt(`${id}.${name}`);
  const error = NAMES.map(errorOf).find((one) => one !== undefined);
  return (
    <tr>
      <NameCell className="min-w-36">
        {display_name}
        {error !== undefined && (
          <p role="alert" className="text-sm font-normal text-bad">
            {error}
          </p>
        )}
      </NameCell>
      {CLASSES.map(({ name, label }) => (
        <TableCell key={name} className="min-w-24">
          <input
            aria-label={`${label} price of ${display_name}`}
            aria-invalid={errorOf(name) !== undefined}
            inputMode="decimal"
            autoComplete="off"
            value={prices[name]}
            onChange={(event) => form.set({ [id]: { ...prices, [name]: event.target.value } })}
            className={INPUT}
          />
        </TableCell>
      ))}
    </tr>
  );
}
