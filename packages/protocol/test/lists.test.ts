import { z } from 'zod';
import { expect, test } from 'vitest';
import { type Route, type RouteName, routes } from '../src/index.ts';

const names = (Object.keys(routes) as RouteName[]).filter((name) => name.startsWith('list'));
/** Not paginated: a directory is read as a whole, and a user has few identities. */
const NOT_PAGINATED: ReadonlySet<RouteName> = new Set(['listWorkspaceFiles', 'listIdentities']);

test.each(names.filter((name) => !NOT_PAGINATED.has(name)))(
  '%s returns a list of its resource and next_cursor',
  (name) => {
    const route: Route = routes[name];
    const page = route.answers[200];
    expect(page).toBeInstanceOf(z.ZodObject);
    const { shape } = page as z.ZodObject;
    expect(Object.keys(shape)).toContain('next_cursor');
    expect(Object.values(shape)[0]).toBeInstanceOf(z.ZodArray);
  },
);

test.each(names.filter((name) => nextCursorOf(name) instanceof z.ZodNullable))(
  '%s accepts the cursor that it returns, and a limit',
  (name) => {
    const { query } = routes[name] as Route;
    expect(Object.keys((query as z.ZodObject).shape)).toEqual(
      expect.arrayContaining(['cursor', 'limit']),
    );
  },
);

function nextCursorOf(name: RouteName): unknown {
  const page = (routes[name] as Route).answers[200];
  return page instanceof z.ZodObject ? page.shape['next_cursor'] : undefined;
}
