export { HttpBrowser } from './http-browser.ts';
export { CLIENT_ID, CLIENT_SECRET, startOidcProvider, type TestOidcProvider } from './provider.ts';
