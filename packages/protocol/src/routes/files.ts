import { z } from 'zod';
import { File, FILE_NAME_LENGTH, isFileName } from '../file.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { media, routeWith } from '../route.ts';

const route = routeWith('Files');

const FileName = z
  .string()
  .max(FILE_NAME_LENGTH)
  .refine(
    isFileName,
    'must be a file name without slashes, control characters and bidirectional control characters',
  );

const FileParams = z.strictObject({ file_id: Uuid.describe('One of your files.') });

const FilePage = z.object({
  files: z.array(File).describe('One page of files, newest first.'),
  next_cursor: NextCursor,
  used_bytes: z
    .int()
    .nonnegative()
    .describe('Total size of your files. A file counts as at least 1 KiB.'),
  max_bytes: z.int().nonnegative().nullable().describe('Storage quota. Null: no limit.'),
});

export const fileRoutes = {
  listFiles: route({
    method: 'get',
    path: '/files',
    summary: 'List your files',
    description: 'Uploads and files created by models and tools in your chats, newest first.',
    scope: 'read',
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: { 200: FilePage },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  uploadFile: route({
    method: 'post',
    path: '/files',
    summary: 'Upload a file as raw bytes',
    description:
      'At most 10 MiB. Attach it to a message with a `file` part. It is kept until the last chat that uses it is purged; an unused file is purged after 7 days. The media type of images and PDF files is detected from their content, regardless of `Content-Type`.',
    scope: 'write',
    query: z.strictObject({
      name: FileName.meta({
        description:
          'File name: 1 to 255 characters, without slashes, control characters and bidirectional control characters.',
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
    summary: 'Download a file',
    description:
      'Returns the uploaded bytes as an attachment. Browsers do not execute the content.',
    scope: 'read',
    access: 'viewer',
    link: true,
    params: FileParams,
    answers: { 200: media('*/*') },
  }),
  deleteFile: route({
    method: 'delete',
    path: '/files/{file_id}',
    summary: 'Delete a file',
    description: 'Messages keep its name and type. Models see a note instead of the content.',
    scope: 'write',
    params: FileParams,
    answers: { 204: null },
    audit: { action: 'file.delete' },
  }),
};
