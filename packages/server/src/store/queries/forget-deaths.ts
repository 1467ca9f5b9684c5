import { statement } from '../statement.ts';

/** The chat was set aside: whoever resumes it gets as many tries as before. */
export const forgetDeaths = statement<never>(
  'forget-deaths',
  `UPDATE chats SET owner_deaths = 0 WHERE id = $1`,
);
