import type { CallAnswer, Client } from '@chatd/client';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printRecord } from '../output/listing.ts';
import { bodyFor } from './fields.ts';
import { findModel } from './models.ts';
import { pick } from './pick.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

type Project = CallAnswer<'getProject'>;

export async function findProject(client: Client, word: string): Promise<Project> {
  const { projects: all } = await client.call('listProjects');
  return pick(all, word, 'project', ({ name }) => [name]);
}

interface ProjectOptions {
  readonly instructions?: string | undefined;
  readonly model?: string | false | undefined;
}

/** The fields that both commands set. */
async function fieldsFor(client: Client, { instructions, model }: ProjectOptions) {
  const model_config_id =
    typeof model === 'string'
      ? (await findModel(client, model)).id
      : model === false
        ? null
        : model;
  return { instructions, model_config_id };
}

export const projects = (run: Run) =>
  group('projects', 'Manage your projects: folders of chats with instructions', [
    listCommand(
      run,
      'List your projects',
      async (client) => (await client.call('listProjects')).projects,
      () => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name },
        {
          title: 'INSTRUCTIONS',
          value: ({ instructions }) => instructions,
          flexible: true,
        },
      ],
      'You have no projects. Create one: chatd projects create NAME',
    ),
    command('create', 'Create a project', {
      examples: [
        [
          'chatd projects create Shop --instructions "Answer in English." --model fast',
          'With instructions and a model for new chats',
        ],
      ],
    })
      .argument('<name>')
      .option('--instructions <text>', 'Instructions for the agent in all chats of the project')
      .option('-m, --model <model>', 'Model of new chats. Default: the default model')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, name, { json, ...options }) => {
          const client = await context.client();
          const fields = await fieldsFor(client, options);
          const project = await client.call('createProject', {
            body: bodyFor('createProject', { name }, fields),
          });
          printRecord(context, project, json);
        }),
      ),
    showCommand(run, '<project>', 'Show a project', findProject),
    command('update', 'Change a project; instructions apply from the next turn of its chats on')
      .argument('<project>')
      .option('--name <name>', 'Name')
      .option('--instructions <text>', 'Instructions; empty to remove them')
      .option('-m, --model <model>', 'Model of new chats')
      .option('--no-model', 'Use the default model for new chats')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { name, json, ...options }) => {
          const client = await context.client();
          const { id } = await findProject(client, word);
          const fields = await fieldsFor(client, options);
          const project = await client.call('updateProject', {
            params: { project_id: id },
            body: bodyFor('updateProject', { name }, fields),
          });
          printRecord(context, project, json);
        }),
      ),
    deleteCommand(
      run,
      '<project>',
      'Delete a project; its chats are kept',
      findProject,
      {
        name: ({ name }) => name,
        question: (name) => `Delete the project ${name}? Its chats are kept.`,
      },
      (client, { id }) => client.call('deleteProject', { params: { project_id: id } }),
    ),
  ]);
