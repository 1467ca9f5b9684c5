import type { BodyOf } from '@chatd/client';
import type { Project } from '@chatd/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../api/client.ts';
import { apiQuery } from '../api/queries.ts';
import { Cell } from './cell.ts';

const NONE: readonly Project[] = [];

/** By name. Undefined while loading. */
export function useProjects(): readonly Project[] | undefined {
  const { data, isError } = useQuery(apiQuery('listProjects'));
  return data?.projects ?? (isError ? NONE : undefined);
}

export function useProject(id: string | undefined): Project | undefined {
  return useProjects()?.find((project) => project.id === id);
}

/** The dialog that creates a project. `chatId`: the chat to move to it. */
export const newProject = new Cell<{ readonly chatId?: string } | null>(null);

/** The dialog that moves a chat to a project. */
export const movingChat = new Cell<string | null>(null);

export function useProjectActions() {
  const queries = useQueryClient();
  return useMemo(() => {
    const reload = () => queries.invalidateQueries({ queryKey: ['listProjects'] });
    return {
      reload,
      create: async (body: BodyOf<'createProject'>): Promise<Project> => {
        const project = await client.call('createProject', { body });
        await reload();
        return project;
      },
      update: async (id: string, body: BodyOf<'updateProject'>): Promise<void> => {
        await client.call('updateProject', { params: { project_id: id }, body });
        await reload();
      },
      delete: async (id: string): Promise<void> => {
        await client.call('deleteProject', { params: { project_id: id } });
        await reload();
      },
    };
  }, [queries]);
}
