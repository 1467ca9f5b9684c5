import { useQuery } from '@tanstack/react-query';
import { apiPath, client, link } from './client.ts';

/**
 * The address of a file of a message. Undefined while it is loaded: browsers do not send the token of a link with images,
 * so the page of a link loads the bytes and keeps them until it is closed.
 */
export function useFileUrl(fileId: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['file', fileId],
    queryFn: async ({ signal }) =>
      URL.createObjectURL(await client.call('getFile', { params: { file_id: fileId }, signal })),
    enabled: link !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return link === undefined ? apiPath(`/files/${fileId}`) : data;
}
