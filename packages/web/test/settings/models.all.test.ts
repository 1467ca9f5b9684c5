import { answer, text } from '@chatd/testing';
import { expect, test, vi } from 'vitest';
import { openSite } from '../support/site.ts';
import { startOfferingProvider } from './offering-provider.ts';
import { SOON } from './soon.ts';

vi.setConfig({ testTimeout: 120_000 });

const KEY = 'sk-ant-a-key-for-these-tests';
const site = await openSite();
const offering = await startOfferingProvider(KEY);
const { admin } = site.server;
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'House', base_url: offering.url, api_key: KEY },
});

test("a model is added from its provider's list, changed in all fields, tested and deleted", async () => {
  const { page } = await site.visit('/settings/models', { role: 'admin' });
  await page.getByRole('button', { name: 'Add models' }).click();
  await page.getByLabel('Provider', { exact: true }).selectOption({ label: 'House' });
  await page.getByRole('button', { name: 'Add model' }).click();
  await page.getByText('Choose a model, or enter its ID').waitFor();
  await page.getByLabel('Search models').fill('house');
  await page.getByRole('checkbox', { name: 'House model' }).check();
  await page.getByLabel('Search models').fill('haiku');
  await page.getByRole('checkbox', { name: 'Claude Haiku 4.5' }).check();
  await page.getByLabel('Search models').fill('house-model-9');
  await page.getByRole('button', { name: 'Use model ID “house-model-9”' }).click();
  await page.getByRole('button', { name: 'Add 3 models' }).click();
  await page.getByText('Enter the context limit in tokens').waitFor();
  await page.getByLabel('Context limit of house-model-9').fill('32000');
  await page.getByRole('button', { name: 'Add 3 models' }).click();
  await page.getByText('3 models added').waitFor();
  const added = (await admin.ok('listModelConfigs')).model_configs;
  const effort = (id: string) => added.find(({ model }) => model === id)?.reasoning_effort;
  expect(effort('claude-haiku-4-5')).toEqual({ default: 'medium', max: 'high' });
  expect(effort('house-model-9')).toBeUndefined();
  await page.getByRole('button', { name: 'Edit House model' }).click();
  expect(await page.getByLabel('Max output tokens').inputValue()).toBe('8000');
  await page.getByLabel('Display name').fill('Our own');

  for (const fold of ['Reasoning and sampling', 'Price', 'Web search', 'Helper models']) {
    await page.locator('summary', { hasText: fold }).click();
  }
  await page.getByLabel('Compaction threshold').fill('55');
  await page.getByLabel('Temperature').fill('0.5');
  await page.getByLabel('Presence penalty').fill('0.25');
  await page.getByLabel('Frequency penalty').fill('-1');
  await page.getByLabel('Reasoning effort', { exact: true }).selectOption('high');
  await page.getByLabel('Max reasoning effort').selectOption('low');
  await page.getByLabel('Input', { exact: true }).fill('1.5');
  await page.getByLabel('Output', { exact: true }).fill('6');
  await page.getByRole('checkbox', { name: 'Provider web search' }).check();
  await page.getByLabel('Allowed domains').fill('example.org\nexample.com');
  await page.getByLabel('Title model').selectOption({ label: 'Sonnet' });
  await page.getByLabel('Provider options').fill('{ not json');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Must be a JSON object/).waitFor();
  await page.getByLabel('Provider options').fill('{"anthropic": {"madeUp": 1}}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/default must not be higher than max/i).waitFor();
  await page.getByLabel('Max reasoning effort').selectOption('max');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('anthropic.madeUp: is not a valid option').waitFor();
  await page.getByLabel('Provider options').fill('{"anthropic": {"disableParallelToolUse": true}}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { model_configs } = await admin.ok('listModelConfigs');
  expect(model_configs.find(({ display_name }) => display_name === 'Our own')).toMatchObject({
    provider_id,
    model: 'house-model-1',
    context_limit: 64_000,
    compaction_threshold: 55,
    max_output_tokens: 8000,
    temperature: 0.5,
    presence_penalty: 0.25,
    frequency_penalty: -1,
    reasoning_effort: { default: 'high', max: 'max' },
    price: { input: 1_500_000, output: 6_000_000 },
    web_search: { allowed_domains: ['example.org', 'example.com'] },
    provider_options: { anthropic: { disableParallelToolUse: true } },
    title_model_config_id: site.modelConfigId,
  });

  offering.provider.answerWith(() => answer([text('Ready when you are.')]));
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  await page.getByRole('button', { name: 'Test Our own' }).click();
  await page.getByText('Ready when you are.').waitFor();
  await page.getByRole('button', { name: 'Delete Our own' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Our own' }).click();
  await page.getByRole('button', { name: 'Edit Our own' }).waitFor({ state: 'hidden' });
});

test('the default is changed, and deleting a model in use is refused with a reason', async () => {
  const { page, api } = await site.visit('/settings/models', { role: 'admin' });
  site.provider.answer(answer([text('Yes?')]));
  await api.ok('createChat', { body: { content: 'Hello', title: 'A chat' } });
  await page.getByRole('button', { name: /^Make default: Demo model/ }).click();
  await page.getByText('New chats use Demo model').waitFor();
  await page.getByRole('button', { name: 'Delete Sonnet' }).click();
  const asked = page.getByRole('alertdialog', { name: 'Delete model “Sonnet”?' });
  await asked.getByRole('button', { name: 'Delete Sonnet' }).click();
  await asked.getByText('Chats use this model').waitFor();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Make default: Sonnet' }).click();
  await page.getByText('New chats use Sonnet').waitFor();
});

test('prices are edited in place by keyboard, and saved together', async () => {
  const { page } = await site.visit('/settings/prices', { role: 'admin' });
  await page.getByLabel('Output price of Demo model').fill('1');
  await page.getByLabel('Input price of Sonnet').fill('');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Set both input and output').waitFor();
  await page.getByLabel('Input price of Sonnet').fill('2.5');
  await page.keyboard.press('Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  const params = { model_config_id: site.modelConfigId };
  expect((await admin.ok('getModelConfig', { params })).price?.input).toBe(2_500_000);
  const { model_configs } = await admin.ok('listModelConfigs');
  const demo = model_configs.find(({ display_name }) => display_name.startsWith('Demo model'));
  expect(demo?.price?.output).toBe(1_000_000);
});

test('a provider is tested, disabled, changed without its key, and not without a name', async () => {
  const { page } = await site.visit('/settings/providers', { role: 'admin' });
  await page.getByRole('button', { name: 'Test House' }).click();
  await page.getByText(/House answered in \d+ ms and offers 2 models/).waitFor();
  await page.getByRole('switch', { name: 'House is enabled' }).uncheck();
  await page.getByText('disabled').waitFor();
  await page.getByRole('switch', { name: 'House is enabled' }).check();
  await page.getByRole('button', { name: 'Edit House' }).click();
  await page.getByLabel('Name').fill(' ');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid'), SOON).toBe('true');
  await page.getByRole('switch', { name: 'Allow user keys' }).check();
  await page.getByLabel('Name').fill('Our house');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await admin.ok('getProvider', { params: { provider_id } })).toMatchObject({
    name: 'Our house',
    allow_user_keys: true,
    has_api_key: true,
  });

  const member = await site.visit('/settings/account');
  await member.page.getByRole('button', { name: 'Set key' }).click();
  await member.page.getByLabel('API key', { exact: true }).fill('sk-ant-a-key-of-a-member');
  await member.page.getByRole('button', { name: 'Save' }).click();
  await member.page.getByText('your key', { exact: true }).waitFor();
  expect(await member.page.content()).not.toContain('sk-ant-a-key-of-a-member');
  await member.page.getByRole('button', { name: 'Remove Our house' }).click();
  await member.page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Remove/ })
    .click();
  await member.page.getByText('no key', { exact: true }).waitFor();
});
