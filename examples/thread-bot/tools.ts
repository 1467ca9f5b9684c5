import { z } from 'zod';

const ORDERS: Readonly<Record<number, string>> = {
  4711: 'sent on Monday, arrives tomorrow',
  4712: 'paid, not yet packed',
};

/** These tools run in this process, with its network access, permissions, and secrets. */
export const tools = {
  look_up_order: {
    description: 'Look up the status of an order by its number.',
    schema: z.object({ number: z.int().positive() }),
    run: ({ number }: { number: number }) => {
      const state = ORDERS[number];
      // The model sees the error.
      if (state === undefined) throw new Error(`Order ${number} not found.`);
      return { number, state };
    },
  },
};
