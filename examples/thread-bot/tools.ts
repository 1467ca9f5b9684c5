import { z } from 'zod';

const ORDERS: Readonly<Record<number, string>> = {
  4711: 'sent on Monday, arrives tomorrow',
  4712: 'paid, not yet packed',
};

/** What the model may have this program do. They run here: with your network, your rights and your secrets. */
export const tools = {
  look_up_order: {
    description: 'What became of an order, by its number.',
    schema: z.object({ number: z.int().positive() }),
    run: ({ number }: { number: number }) => {
      const state = ORDERS[number];
      // What is thrown becomes an error that the model reads.
      if (state === undefined) throw new Error(`There is no order ${number}.`);
      return { number, state };
    },
  },
};
