"""The stages that process one document at a time: conversion, extraction, first-page pictures."""
