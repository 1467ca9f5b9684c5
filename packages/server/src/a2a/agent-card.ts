export const A2A_PATH = '/a2a';
export const AGENT_CARD_PATH = '/.well-known/agent-card.json';
export const A2A_VERSION = '1.0';

/** What clients need to know before they sign in. It is the same for everyone. */
export const agentCard = (origin: string, version: string): object => ({
  name: 'chatd',
  description:
    'Durable agents. A context is a chat; each message to it is a task, which continues if the connection or a server fails.',
  supportedInterfaces: [
    { url: `${origin}${A2A_PATH}`, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION },
  ],
  version,
  documentationUrl: `${origin}/docs`,
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
  securitySchemes: {
    token: {
      httpAuthSecurityScheme: {
        scheme: 'Bearer',
        description: 'A token with the scopes `read` and `write`, from Settings → Tokens.',
      },
    },
  },
  securityRequirements: [{ schemes: { token: { list: [] } } }],
  defaultInputModes: ['text/plain', 'application/json', 'image/*', 'application/pdf'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 'chat',
      name: 'Chat with an agent',
      description:
        'Answers, and works with the tools and workspaces of the deployment. Asks for input if it needs an answer or an approval.',
      tags: ['chat', 'agent', 'tools'],
    },
  ],
});
