import { z } from 'zod';
import { File } from '../file.ts';
import { Uuid } from '../ids.ts';
import { media, route } from '../route.ts';

const tag = 'Files';

const FileName = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}/\\]+$/u, 'must be a file name, without slashes and control characters');

const FileParams = z.strictObject({ file_id: Uuid.describe('A file of yours.') });

export const fileRoutes = {
  uploadFile: route({
    method: 'post',
    path: '/files',
    tag,
    summary: 'Upload a file: its raw bytes, with its Content-Type',
    description:
      'At most 10 MiB. A message names it as a `file` part. It stays until you delete it. Images and PDF files get the media type of their bytes, whatever Content-Type says.',
    scope: 'write',
    query: z.strictObject({
      name: FileName.meta({
        description:
          'What to call it: 1 to 255 characters, without slashes and control characters.',
        examples: ['photo.png'],
      }),
    }),
    body: media('*/*'),
    answers: { 201: File },
    refusals: ['invalid_query', 'unsupported_media_type'],
  }),
  getFile: route({
    method: 'get',
    path: '/files/{file_id}',
    tag,
    summary: 'Download a file',
    description:
      'The bytes as they were uploaded, as an attachment. Nothing in it runs in a browser.',
    scope: 'read',
    params: FileParams,
    answers: { 200: media('*/*') },
    refusals: [],
  }),
  deleteFile: route({
    method: 'delete',
    path: '/files/{file_id}',
    tag,
    summary: 'Delete a file',
    description: 'Messages that name it keep its name and type. Models read a note in its place.',
    scope: 'write',
    params: FileParams,
    answers: { 204: null },
    refusals: [],
  }),
};
