/** Version 1 of the API. Compatible additions keep the version; renames and removals do not. */
export const API_PREFIX = '/api/v1';
