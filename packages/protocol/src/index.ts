export { type AgUiMessage, AgUiRunInput } from './ag-ui.ts';
export { API_PREFIX } from './prefix.ts';
export { ActionKind } from './action-kind.ts';
export { Answer } from './answer.ts';
export {
  APPROVAL_RULES_LIMIT,
  type ApprovalAction,
  type ApprovalDecision,
  ApprovalRule,
  ApprovalRules,
  PATTERN_LENGTH,
} from './approval.ts';
export { AuditActorKind, AuditEvent } from './audit-event.ts';
export { AgentType, Chat, ChatActivity, ChatStatus, Labels } from './chat.ts';
export { Checkpoint, CheckpointKind } from './checkpoint.ts';
export { ChatContext, ToolSource } from './chat-context.ts';
export { ChatError, ErrorKind, Retry } from './chat-error.ts';
export { DebugEntry } from './debug-record.ts';
export { DynamicTool, DynamicTools, SUMMARY_TOOL } from './dynamic-tool.ts';
export {
  AwaitedCall,
  ChatEvent,
  type DecidedCall,
  type TurnEvent,
  turnEvent,
  WatchEvent,
} from './event.ts';
export {
  File,
  FILE_BYTES_LIMIT,
  FILE_NAME_LENGTH,
  isFileName,
  MESSAGE_FILES_BYTES_LIMIT,
} from './file.ts';
export {
  ChatGit,
  GIT_CONNECTIONS_LIMIT,
  GitConnection,
  GitHostKind,
  GitPullRequest,
  GitRepository,
} from './git.ts';
export { Group, GroupMember, GroupName } from './group.ts';
export { AfterIdText, SerialId, SerialIdText, Timestamp, Uuid } from './ids.ts';
export { Json, JsonObject } from './json.ts';
export { LabelChanges } from './label-changes.ts';
export { MachineProvisioner } from './machine-provisioner.ts';
export { CreatedMachine, Machine, MachineLabels, MachineName, MachineStatus } from './machine.ts';
export {
  McpAuth,
  McpAuthInput,
  McpProgramLimits,
  McpServer,
  McpServerName,
  McpServerTest,
  McpSignIn,
  McpTransport,
} from './mcp-server.ts';
export { Message, Role, Usage } from './message.ts';
export { Branch, Version } from './version.ts';
export {
  ModelConfig,
  ModelTest,
  OfferedModel,
  Price,
  ProviderOffer,
  WebSearch,
} from './model-config.ts';
export { Notifications, PUSH_SUBSCRIPTIONS_LIMIT, PushSubscription } from './notification.ts';
export { Cursor, Limit } from './page.ts';
export {
  Content,
  FilePart,
  FileReferencePart,
  type InputPart,
  Part,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './part.ts';
export { Port, Preview } from './port.ts';
export { Problem, type ProblemCode, PROBLEMS } from './problem.ts';
export { Project, ProjectInstructions, ProjectName, PROJECTS_LIMIT } from './project.ts';
export { ApiKey, AwsCredentials, Provider, ProviderTest, ProviderType } from './provider.ts';
export { BusyBehavior, QUEUE_LIMIT, QueuedMessage } from './queued-message.ts';
export { ReasoningEffort } from './reasoning-effort.ts';
export {
  type EventStream,
  type AuditedAction,
  isEventStream,
  isMedia,
  isTwoWay,
  type Media,
  type RequiredScope,
  type Route,
  type TwoWay,
  scopesOf,
} from './route.ts';
export { type RouteName, type Routes, routes, TAGS } from './routes/index.ts';
export { Scope } from './scope.ts';
export { ListedChat, SearchMatch } from './search-match.ts';
export { Settings } from './settings.ts';
export {
  type ChatGrant,
  ChatLink,
  ChatRole,
  ChatSharing,
  GRANTS_LIMIT,
  type NewChatGrant,
  NewChatSharing,
  Participant,
} from './sharing.ts';
export { Spend } from './spend.ts';
export {
  Template,
  TemplateDefinition,
  TemplateDriver,
  TemplateLimits,
  TemplateMachine,
  TemplateName,
  TemplateSource,
} from './template.ts';
export {
  WorkspaceMcpServer,
  WorkspaceMcpServerName,
  WorkspaceMcpServers,
} from './workspace-mcp-server.ts';
export { networkMode, WorkspaceNetwork } from './workspace-network.ts';
export { DesktopNotice, DesktopRequest, DesktopStatus } from './desktop.ts';
export { TerminalControl, TerminalInfo, TerminalNotice } from './terminal.ts';
export { CreatedToken, Token } from './token.ts';
export {
  MissedRuns,
  NewTrigger,
  SavedTrigger,
  Trigger,
  TriggerChanges,
  TriggerChat,
  TriggerConcurrency,
  TriggerKind,
  TriggerName,
  TriggerRun,
  TriggerRunStatus,
  TRIGGERS_LIMIT,
  WebhookVerification,
} from './trigger.ts';
export { ChatCost, UsageGroup, UsageReport } from './usage-report.ts';
export { Password, User, Username, UserRole } from './user.ts';
export {
  CreatedWebhook,
  DeliveryState,
  Webhook,
  WebhookDelivery,
  type WebhookEvent,
  WebhookEventData,
  WebhookEventType,
  WEBHOOKS_LIMIT,
  WebhookTest,
} from './webhook.ts';
export { WorkspaceFile, WorkspaceFileVersion, WorkspaceFolder } from './workspace-file.ts';
export { Workspace, WorkspaceDiff, WorkspaceStatus, WorkspaceWithLog } from './workspace.ts';
