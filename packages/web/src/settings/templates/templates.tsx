import type { Template } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { LayoutTemplate, Plus } from 'lucide-react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { useEditing } from '../parts/use-editing.ts';
import { EditTemplate } from './edit-template.tsx';

export function Templates() {
  const editing = useEditing();
  const templates = useQuery(apiQuery('listTemplates'));
  const changed = useInvalidateQueries();
  if (editing.edited === 'new') return <EditTemplate onClose={editing.close} />;
  const add = (
    <Button kind="primary" onClick={() => editing.open('new')}>
      <Plus aria-hidden className="size-4" />
      Add template
    </Button>
  );
  const remove = (id: string) => async () => {
    await client.call('deleteTemplate', { params: { template_id: id } });
    await changed();
  };
  return (
    <QueryResult to={templates}>
      {({ templates: list }) => {
        const edited = list.find(({ id }) => id === editing.edited);
        if (edited !== undefined) {
          return <EditTemplate key={edited.id} template={edited} onClose={editing.close} />;
        }
        return (
          <>
            <Heading
              title="Templates"
              about="Blueprints for workspaces: files, setup script and limits. Changes do not affect existing workspaces."
              action={list.length > 0 && add}
            />
            {list.length === 0 ? (
              <EmptyState icon={<LayoutTemplate />} title="No templates yet" action={add}>
                Agents need a template to create a workspace.
              </EmptyState>
            ) : (
              <Rows label="Templates">
                {list.map((template) => (
                  <Row
                    key={template.id}
                    title={template.name}
                    badges={
                      <>
                        <Badge>{template.driver}</Badge>
                        {template.from_file && <Badge kind="info">from a file</Badge>}
                        {template.desktop !== undefined && template.desktop !== false && (
                          <Badge>desktop</Badge>
                        )}
                      </>
                    }
                    about={aboutOf(template)}
                    actions={
                      template.from_file ? (
                        <span className="text-sm text-muted">Defined in a file</span>
                      ) : (
                        <>
                          <Button
                            size="small"
                            aria-label={`Edit ${template.name}`}
                            onClick={() => editing.open(template.id)}
                          >
                            Edit
                          </Button>
                          <DeleteButton
                            what="template"
                            name={template.name}
                            onDelete={remove(template.id)}
                          >
                            Existing workspaces are kept.
                          </DeleteButton>
                        </>
                      )
                    }
                  />
                ))}
              </Rows>
            )}
          </>
        );
      }}
    </QueryResult>
  );
}

const NETWORK = { none: 'no network', internet: 'internet access' } as const;

function aboutOf({ description, source, network = 'none' }: Template): string {
  const from =
    source === undefined ? 'no initial files' : 'git' in source ? source.git.url : source.path;
  const access =
    typeof network === 'object' ? `${network.allowlist.length} allowed hosts` : NETWORK[network];
  const parts = [description, from, access];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}
