import type { FakeProvider } from '../../src/index.ts';

/** Closes a provider that should have rejected nothing. */
export async function closeUnrefused(provider: FakeProvider): Promise<void> {
  await provider.close();
  const refusals = provider.rejected.map(({ message }) => message);
  if (refusals.length > 0) throw new Error(`the fake provider refused: ${refusals.join('; ')}`);
}
