import { z } from 'zod';
import { File } from '../file.ts';
import { Uuid } from '../ids.ts';
import { media, route } from '../route.ts';

const tag = 'Files';

const FileName = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}/\\]+$/u, 'must be a file name, without slashes and control characters');

const FileParams = z.strictObject({ file_id: Uuid });

export const fileRoutes = {
  uploadFile: route({
    method: 'post',
    path: '/files',
    tag,
    summary: 'Upload a file: its raw bytes, with its Content-Type',
    scope: 'write',
    query: z.strictObject({ name: FileName }),
    body: media('*/*'),
    answers: { 201: File },
    refusals: ['invalid_query', 'unsupported_media_type'],
  }),
  getFile: route({
    method: 'get',
    path: '/files/{file_id}',
    tag,
    summary: 'Download a file',
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
    scope: 'write',
    params: FileParams,
    answers: { 204: null },
    refusals: [],
  }),
};
