// For a checkout whose dependencies were put there in another way than by installing them.
import { markInstalled } from './dependencies.mjs';

await markInstalled();
