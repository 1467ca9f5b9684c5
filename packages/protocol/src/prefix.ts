/** The first version of the API. Adding to it is free; renaming or removing is not. */
export const API_PREFIX = '/api/v1';
