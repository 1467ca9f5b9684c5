import '@fontsource-variable/hanken-grotesk/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import './styles/main.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { measureScrollbar } from './state/scrollbar.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('index.html has no #app');
measureScrollbar();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
