/* The AI SDK without storage: `streamText`, written to the client as a UI message stream. */
import { createServer } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import { required } from '../server/contract.ts';

const model = createOpenAICompatible({
  name: 'paced',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
})('paced');

const onError = (error: unknown) => console.error(error);

createServer((request, response) => {
  request.resume();
  streamText({ model, prompt: 'Speak', onError })
    .pipeUIMessageStreamToResponse(response)
    .catch(() => response.destroy());
}).listen(Number(required('PEER_PORT')), '127.0.0.1');
