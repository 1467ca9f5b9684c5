import { networkMode, type Template, type TemplateMachine } from '@chatd/protocol';
import type { KnownTemplate } from '../../workspaces/templates.ts';

/** Members do not see variables, MCP servers and provisioners, which may contain secrets. */
export function presentTemplate(template: KnownTemplate, forAdmin: boolean): Template {
  const { env, network, machine, mcp_servers, ...definition } = template.definition;
  return {
    id: template.id,
    name: template.name,
    ...definition,
    ...(network !== undefined && { network: networkMode(network) }),
    ...(forAdmin && env !== undefined && { env }),
    ...(forAdmin && mcp_servers !== undefined && { mcp_servers }),
    ...(machine !== undefined && { machine: forAdmin ? machine : labelsOnly(machine) }),
    from_file: template.from_file,
    ...(template.created_at !== undefined && { created_at: template.created_at.toISOString() }),
  };
}

const labelsOnly = ({ labels }: TemplateMachine): TemplateMachine =>
  labels === undefined ? {} : { labels };
