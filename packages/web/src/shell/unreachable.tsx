import { useEffect } from 'react';
import { session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';

const AGAIN_MS = 5000;

/** The page is here and its server is not: it is asked again and again, and says so. */
export function Unreachable({ reason }: { readonly reason: string }) {
  useEffect(() => {
    const timer = setInterval(() => void session.load(), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <main className="m-auto max-w-md p-8 text-center" role="alert">
      <h1 className="text-xl font-semibold">chatd cannot be reached</h1>
      <p className="mt-2 text-muted">
        {reason} This page tries again by itself every few seconds. If it stays like this, look
        whether the server is running.
      </p>
      <Button className="mt-4" onClick={() => void session.load()}>
        Try now
      </Button>
    </main>
  );
}
