import { z } from 'zod';
import { File, FILE_NAME_LENGTH, isFileName } from '../file.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { media, route } from '../route.ts';

const tag = 'Files';

const FileName = z
  .string()
  .max(FILE_NAME_LENGTH)
  .refine(isFileName, 'must be a file name, without slashes, control and direction characters');

const FileParams = z.strictObject({ file_id: Uuid.describe('A file of yours.') });

const FilePage = z.object({
  files: z.array(File).describe('Newest first.'),
  next_cursor: NextCursor,
  used_bytes: z.int().nonnegative().describe('Of all your files. A file counts as 1 KiB at least.'),
  max_bytes: z.int().nonnegative().nullable().describe('The quota. Null: no limit.'),
});

export const fileRoutes = {
  listFiles: route({
    method: 'get',
    path: '/files',
    tag,
    summary: 'List your files',
    description: 'Uploads and files that models and tools made in your chats, newest first.',
    scope: 'read',
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: { 200: FilePage },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  uploadFile: route({
    method: 'post',
    path: '/files',
    tag,
    summary: 'Upload a file: its raw bytes, with its Content-Type',
    description:
      'At most 10 MiB. A message names it as a `file` part. It stays until the last chat that uses it is purged; a file that no chat uses is purged after 7 days. Images and PDF files get the media type of their bytes, whatever Content-Type says.',
    scope: 'write',
    query: z.strictObject({
      name: FileName.meta({
        description:
          'File name: 1 to 255 characters, without slashes, control characters and characters that change the direction of text.',
        examples: ['photo.png'],
      }),
    }),
    body: media('*/*'),
    answers: { 201: File },
    refusals: ['invalid_query', 'unsupported_media_type', 'quota_exceeded'],
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
