// For a checkout whose dependencies were copied instead of installed.
import { markInstalled } from './dependencies.mjs';

await markInstalled();
