import type { Template } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { type Form, useForm } from '../form/use-form.ts';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import {
  bodyOfTemplate,
  checkTemplate,
  type TemplateValues,
  valuesOfTemplate,
} from './template-values.ts';
import { toast } from '../../ui/toast.ts';

export function EditTemplate({
  template,
  onClose,
}: {
  readonly template?: Template;
  readonly onClose: () => void;
}) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: valuesOfTemplate(template),
    check: checkTemplate,
    alsoAt: ['source', 'limits', 'network', 'machine'],
    async save(values) {
      const { source, image, machine, ...rest } = bodyOfTemplate(values, template);
      if (template === undefined) {
        const given = {
          ...(source && { source }),
          ...(image && { image }),
          ...(machine && { machine }),
        };
        const body = { ...rest, ...given };
        await client.call('createTemplate', { body });
      } else {
        const params = { template_id: template.id };
        await client.call('updateTemplate', { params, body: { ...rest, source, image, machine } });
      }
      await changed();
    },
    onSaved() {
      if (template !== undefined) return;
      toast.success('Template added');
      onClose();
    },
  });
  return (
    <>
      <BackLink to="Templates" onClick={onClose} />
      <Heading title={template?.name ?? 'Add template'} />
      <SettingsForm
        form={form}
        label={template === undefined ? 'New template' : `Template ${template.name}`}
        action={template === undefined ? 'Add template' : 'Save'}
      >
        <form.Text name="name" label="Name" />
        <form.Text
          name="description"
          label="Description"
          help="Agents choose templates by this description."
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <form.Select
            name="driver"
            label="Sandbox"
            choices={[
              { value: 'host', label: 'Local sandbox' },
              { value: 'docker', label: 'Docker container' },
            ]}
          />
          {form.values.driver === 'docker' && (
            <form.Text
              name="image"
              label="Image"
              spellCheck={false}
              placeholder="debian:stable-slim"
            />
          )}
        </div>
        <Source form={form} />
        <form.Area
          name="setup"
          label="Setup script"
          code
          rows={5}
          placeholder="npm ci"
          help="Runs once in a new workspace, with network access. Stops at the first failing command."
        />
        <form.Area
          name="env"
          label="Environment"
          code
          rows={3}
          placeholder="NODE_ENV=development"
          help="NAME=value, one per line. Agents can read these values: do not store secrets here."
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <form.Number
            name="memory_mb"
            path="limits.memory_mb"
            label="Memory limit"
            help="In MB. Empty: no limit."
          />
          <form.Number
            name="processes"
            path="limits.processes"
            label="Process limit"
            help="Empty: no limit."
          />
          <form.Number
            name="disk_mb"
            path="limits.disk_mb"
            label="Disk limit"
            help="In MB. Empty: the server default."
          />
        </div>
        <form.Select
          name="network"
          label="Network access"
          choices={[
            { value: 'none', label: 'None' },
            { value: 'allowlist', label: 'Allowed hosts only' },
            { value: 'internet', label: 'Internet' },
          ]}
        />
        {form.values.network === 'allowlist' && (
          <form.Area
            name="allowlist"
            label="Allowed hosts"
            code
            rows={3}
            placeholder="packages.example.net"
            help="One host per line. *.example.org matches all subdomains. Private addresses are blocked."
          />
        )}
        <form.Area
          name="labels"
          path="machine.labels"
          label="Machine labels"
          code
          rows={2}
          placeholder="zone=a"
          help="NAME=value, one per line. Workspaces are placed on machines with these labels. Empty: any machine."
        />
        <form.Check
          name="desktop"
          label="Desktop"
          help="Starts a desktop that agents use and users can watch."
        />
        {form.values.desktop && (
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <form.Number
              name="width"
              path={pathOf(form, 'width')}
              label="Width"
              placeholder="1920"
              help="In pixels."
            />
            <form.Number
              name="height"
              path={pathOf(form, 'height')}
              label="Height"
              placeholder="1080"
              help="In pixels."
            />
          </div>
        )}
      </SettingsForm>
    </>
  );
}

/** The desktop's size is a nested field for the server. */
const pathOf = (form: Form<TemplateValues>, name: 'width' | 'height') =>
  form.errorAt(name) === undefined ? `desktop.${name}` : name;

function Source({ form }: { readonly form: Form<TemplateValues> }) {
  const { source_kind } = form.values;
  return (
    <fieldset className="flex flex-col gap-4 rounded-xl border border-line p-3">
      <legend className="px-1 font-medium">Source</legend>
      <form.Select
        name="source_kind"
        label="Initial files"
        choices={[
          { value: 'none', label: 'None' },
          { value: 'git', label: 'Git repository' },
          { value: 'path', label: 'Folder on the server' },
        ]}
      />
      {source_kind === 'git' && (
        <>
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <form.Text
              name="git_url"
              path="source.git.url"
              label="URL"
              spellCheck={false}
              placeholder="https://example.org/shop.git"
            />
            <form.Text
              name="git_ref"
              path="source.git.ref"
              label="Branch, tag or commit"
              spellCheck={false}
              placeholder="main"
            />
          </div>
          {/^\w+:\/\/[^/]*:[^/]*@/.test(form.values.git_url) && (
            <Notice kind="warn">
              This URL seems to contain a password, which agents can read. Use a key on the server
              instead.
            </Notice>
          )}
        </>
      )}
      {source_kind === 'path' && (
        <form.Text
          name="path"
          path="source.path"
          label="Folder"
          spellCheck={false}
          placeholder="/srv/shop"
        />
      )}
    </fieldset>
  );
}
