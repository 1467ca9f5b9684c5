/* A proxy without storage: `doStream` of the provider package, written to the client as an event stream. */
import { createServer, type ServerResponse } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { required } from '../server/contract.ts';

const model = createOpenAICompatible({
  name: 'paced',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
})('paced');

async function respond(response: ServerResponse): Promise<void> {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Speak' }] }],
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      response.write(`data: ${JSON.stringify({ t: part.delta })}\n\n`);
    }
  }
  response.end();
}

createServer((request, response) => {
  request.resume();
  respond(response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
}).listen(Number(required('PEER_PORT')), '127.0.0.1');
