import type { ExternalToast } from 'sonner';

type Show = (message: string, options?: ExternalToast) => void;

/** The library is loaded when the page is idle, or with the first toast. */
const show =
  (kind: 'message' | 'error' | 'success'): Show =>
  (message, options) => {
    import('sonner').then(
      ({ toast: shown }) => shown[kind](message, options),
      // The server is gone, which the page reports.
      () => undefined,
    );
  };

export const toast = Object.assign(show('message'), {
  error: show('error'),
  success: show('success'),
});
