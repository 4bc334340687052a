@echo off
rem Runs every sample against a server: samples\run.cmd [base-url]
setlocal
cd /d "%~dp0.."
set "BASE_URL=%~1"
if "%BASE_URL%"=="" set "BASE_URL=http://localhost:8080"
call mvnw.cmd -q process-classes exec:java@samples "-Dbase.url=%BASE_URL%"
